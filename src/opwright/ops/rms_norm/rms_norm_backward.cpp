#include <opwright/kernel.h>

#include <cmath>
#include <vector>

// With n = x * scale and scale = 1 / sqrt(mean(x^2) + eps) for each row,
// grad_input = scale * (g * weight - n * mean(g * weight * n)), and grad_weight is the sum of g * n
// over the rows.
template <typename T>
void rms_norm_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                       opwright::View<const T, 1> weight, double eps,
                       opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_weight) {
  using Compute = opwright::compute_t<T>;
  const int64_t rows = input.size(0), hidden = input.size(1);
  std::vector<Compute> scales(rows);
  opwright::for_each_row(rows, hidden, [&](int64_t row) {
    const T* const g = grad_output.data + row * hidden;
    const T* const x = input.data + row * hidden;
    const T* const w = weight.data;
    const Compute squares = opwright::sum_of(
        hidden, [x](int64_t i) { return opwright::widen(x[i]) * opwright::widen(x[i]); });
    const Compute scale = 1 / std::sqrt(squares / Compute(hidden) + Compute(eps));
    const Compute products = opwright::sum_of(hidden, [g, x, w](int64_t i) {
      return opwright::widen(g[i]) * opwright::widen(w[i]) * opwright::widen(x[i]);
    });
    const Compute along = products * scale * scale / Compute(hidden);
    opwright::map_range(
        grad_input.data + row * hidden, hidden,
        [=](auto grad, auto value, auto factor) { return scale * (grad * factor - value * along); },
        g, x, w);
    scales[row] = scale;
  });
  opwright::sum_columns(grad_weight, rows, [&](int64_t i, int64_t j) {
    return opwright::widen(grad_output(i, j)) * opwright::widen(input(i, j)) * scales[i];
  });
}
