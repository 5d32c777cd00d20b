#include <opwright/device_rows.h>
#include <opwright/kernel.h>

// The variance is that of the differences from the mean: mean(x^2) - mean^2 would cancel where the
// mean is large.
template <typename T>
struct LayerNorm {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  static constexpr bool has_vectors = true;
  opwright::View<const T, 2> input;
  opwright::View<const T, 1> weight, bias;
  Compute eps;
  opwright::View<T, 2> output;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto x = row.load(input);
    const auto w = row.later(weight);
    const auto b = row.later(bias);
    const Compute mean = row.sum([](Compute v) { return v; }, x) / Compute(row.columns);
    const auto centred = row.map([=](Compute v) { return v - mean; }, x);
    const Compute squares = row.sum([](Compute v) { return v * v; }, centred);
    const Compute scale = Compute(1) / sqrt(squares / Compute(row.columns) + eps);
    row.store(
        output, [=](Compute v, Compute f, Compute b) { return v * scale * f + b; }, centred, w, b);
  }
};

// (x - mean) / sqrt(variance + eps) * weight + bias, for each row.
template <typename T>
void layer_norm(opwright::View<const T, 2> input, opwright::View<const T, 1> weight,
                opwright::View<const T, 1> bias, double eps, opwright::View<T, 2> output,
                opwright::Stream stream) {
  const LayerNorm<T> body{input, weight, bias, opwright::compute_t<T>(eps), output};
  opwright::for_rows(stream, body, input.size(0), input.size(1), input.data, weight.data, bias.data,
                     output.data);
}
