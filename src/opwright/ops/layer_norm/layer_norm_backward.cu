#include <opwright/device_columns.h>
#include <opwright/device_row_sums.h>
#include <opwright/kernel.h>

#include <type_traits>

// With n = (x - mean) * scale and scale = 1 / sqrt(variance + eps) for each row, and d = g *
// weight, grad_input = scale * (d - mean(d) - n * mean(d * n)). Over the rows, grad_weight is the
// sum of g * n, and grad_bias that of g, unless it is left to others.
template <typename T, bool WithBias>
struct LayerNormBackward {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  using Two = opwright::Two<Compute>;
  using Sum = std::conditional_t<WithBias, Two, Compute>;
  opwright::View<const T, 2> grad_output, input;
  opwright::View<const T, 1> weight;
  Compute eps;
  opwright::View<T, 2> grad_input;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto g = row.load(grad_output), x = row.load(input);
    const auto w = row.later(weight);  // the sums take many registers
    const Compute hidden(row.columns);
    const Two sums =
        row.sum([](Compute grad, Compute v, Compute f) { return Two{v, grad * f}; }, g, x, w);
    const Compute mean = sums.first / hidden, mean_grad = sums.second / hidden;
    const Two products =
        row.sum([=](Compute grad, Compute v,
                    Compute f) { return Two{(v - mean) * (v - mean), grad * f * (v - mean)}; },
                g, x, w);
    const Compute scale = Compute(1) / sqrt(products.first / hidden + eps);
    const Compute along = products.second * scale * scale / hidden;
    const auto for_weight = [=](Compute grad, Compute v) { return grad * (v - mean) * scale; };
    if constexpr (WithBias) {
      row.add([=](Compute grad, Compute v) { return Two{for_weight(grad, v), grad}; }, g, x);
    } else {
      row.add(for_weight, g, x);
    }
    row.store(
        grad_input,
        [=](Compute grad, Compute v, Compute f) {
          return scale * (grad * f - mean_grad - (v - mean) * along);
        },
        g, x, w);
  }
};

template <typename T>
void layer_norm_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                         opwright::View<const T, 1> weight, double eps,
                         opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_weight,
                         opwright::View<T, 1> grad_bias, opwright::Stream stream) {
  const opwright::compute_t<T> epsilon(eps);
  if (input.size(1) <= 8192) {
    const LayerNormBackward<T, true> body{grad_output, input, weight, epsilon, grad_input};
    opwright::for_rows_and_sum(stream, body, grad_input, opwright::two(grad_weight, grad_bias),
                               grad_output.data, input.data, weight.data);
  } else {  // registers have no room for both sums of so long rows
    opwright::sum_columns(stream, grad_bias, grad_output, grad_input);
    const LayerNormBackward<T, false> body{grad_output, input, weight, epsilon, grad_input};
    opwright::for_rows_and_sum(stream, body, grad_input, grad_weight, grad_output.data, input.data,
                               weight.data);
  }
}
