#include <opwright/device_row_sums.h>
#include <opwright/kernel.h>

// With n = x * scale and scale = 1 / sqrt(mean(x^2) + eps) for each row,
// grad_input = scale * (g * weight - n * mean(g * weight * n)), and grad_weight is the sum of g * n
// over the rows.
template <typename T>
struct RmsNormBackward {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  using Sum = Compute;
  opwright::View<const T, 2> grad_output, input;
  opwright::View<const T, 1> weight;
  Compute eps;
  opwright::View<T, 2> grad_input;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto g = row.load(grad_output), x = row.load(input);
    const auto w = row.later(weight);  // the sums take many registers
    const auto sums = row.sum([](Compute grad, Compute v,
                                 Compute f) { return opwright::Two<Compute>{v * v, grad * f * v}; },
                              g, x, w);
    const Compute hidden(row.columns), scale = Compute(1) / sqrt(sums.first / hidden + eps);
    const Compute along = sums.second * scale * scale / hidden;
    row.add([=](Compute grad, Compute v) { return grad * v * scale; }, g, x);
    row.store(
        grad_input,
        [=](Compute grad, Compute v, Compute f) { return scale * (grad * f - v * along); }, g, x,
        w);
  }
};

template <typename T>
void rms_norm_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                       opwright::View<const T, 1> weight, double eps,
                       opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_weight,
                       opwright::Stream stream) {
  const RmsNormBackward<T> body{grad_output, input, weight, opwright::compute_t<T>(eps),
                                grad_input};
  opwright::for_rows_and_sum(stream, body, grad_input, grad_weight, grad_output.data, input.data,
                             weight.data);
}
