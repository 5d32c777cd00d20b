#include <opwright/device_rows.h>
#include <opwright/kernel.h>

template <typename T>
struct RmsNorm {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  static constexpr bool has_vectors = true;
  opwright::View<const T, 2> input;
  opwright::View<const T, 1> weight;
  Compute eps;
  opwright::View<T, 2> output;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto x = row.load(input);
    const auto w = row.along(weight);
    const Compute squares = row.sum([](Compute v) { return v * v; }, x);
    const Compute scale = Compute(1) / sqrt(squares / Compute(row.columns) + eps);
    row.store(output, [=](Compute v, Compute f) { return v * scale * f; }, x, w);
  }
};

// x / sqrt(mean(x^2) + eps) * weight, for each row.
template <typename T>
void rms_norm(opwright::View<const T, 2> input, opwright::View<const T, 1> weight, double eps,
              opwright::View<T, 2> output, opwright::Stream stream) {
  const RmsNorm<T> body{input, weight, opwright::compute_t<T>(eps), output};
  opwright::for_rows(stream, body, input.size(0), input.size(1), input.data, weight.data,
                     output.data);
}
