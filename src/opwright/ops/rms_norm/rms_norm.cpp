#include <opwright/kernel.h>

#include <cmath>

// x / sqrt(mean(x^2) + eps) * weight, for each row.
template <typename T>
void rms_norm(opwright::View<const T, 2> input, opwright::View<const T, 1> weight, double eps,
              opwright::View<T, 2> output) {
  using Compute = opwright::compute_t<T>;
  const int64_t hidden = input.size(1);
  opwright::for_each_row(input.size(0), hidden, [&](int64_t row) {
    const T* const x = input.data + row * hidden;
    const Compute squares = opwright::sum_of(
        hidden, [x](int64_t i) { return opwright::widen(x[i]) * opwright::widen(x[i]); });
    const Compute scale = 1 / std::sqrt(squares / Compute(hidden) + Compute(eps));
    opwright::map_range(
        output.data + row * hidden, hidden,
        [scale](auto value, auto w) { return value * scale * w; }, x, weight.data);
  });
}
