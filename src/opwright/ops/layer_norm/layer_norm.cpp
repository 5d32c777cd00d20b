#include <opwright/kernel.h>

#include <cmath>

// (x - mean) / sqrt(variance + eps) * weight + bias, for each row. The variance is that of the
// differences from the mean: mean(x^2) - mean^2 would cancel where the mean is large.
template <typename T>
void layer_norm(opwright::View<const T, 2> input, opwright::View<const T, 1> weight,
                opwright::View<const T, 1> bias, double eps, opwright::View<T, 2> output) {
  using Compute = opwright::compute_t<T>;
  const int64_t hidden = input.size(1);
  opwright::for_each_row(input.size(0), hidden, [&](int64_t row) {
    const T* const x = input.data + row * hidden;
    const Compute mean =
        opwright::sum_of(hidden, [x](int64_t i) { return opwright::widen(x[i]); }) /
        Compute(hidden);
    const Compute squares = opwright::sum_of(hidden, [x, mean](int64_t i) {
      const Compute difference = opwright::widen(x[i]) - mean;
      return difference * difference;
    });
    const Compute scale = 1 / std::sqrt(squares / Compute(hidden) + Compute(eps));
    opwright::map_range(
        output.data + row * hidden, hidden,
        [mean, scale](auto value, auto w, auto b) { return (value - mean) * scale * w + b; }, x,
        weight.data, bias.data);
  });
}
