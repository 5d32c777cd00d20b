#include <opwright/kernel.h>

#include <cmath>
#include <vector>

// With n = (x - mean) * scale and scale = 1 / sqrt(variance + eps) for each row, and d = g *
// weight, grad_input = scale * (d - mean(d) - n * mean(d * n)); over the rows, grad_weight is the
// sum of g * n, and grad_bias that of g.
template <typename T>
void layer_norm_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                         opwright::View<const T, 1> weight, double eps,
                         opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_weight,
                         opwright::View<T, 1> grad_bias) {
  using Compute = opwright::compute_t<T>;
  const int64_t rows = input.size(0), hidden = input.size(1);
  std::vector<Compute> means(rows), scales(rows);
  opwright::for_each_row(rows, hidden, [&](int64_t row) {
    const T* const g = grad_output.data + row * hidden;
    const T* const x = input.data + row * hidden;
    const T* const w = weight.data;
    const auto mean_of = [hidden](auto term) {
      return opwright::sum_of(hidden, term) / Compute(hidden);
    };
    const auto grad = [g, w](int64_t i) { return opwright::widen(g[i]) * opwright::widen(w[i]); };
    const Compute mean = mean_of([x](int64_t i) { return opwright::widen(x[i]); });
    const auto centred = [x, mean](int64_t i) { return opwright::widen(x[i]) - mean; };
    const Compute variance = mean_of([=](int64_t i) { return centred(i) * centred(i); });
    const Compute scale = 1 / std::sqrt(variance + Compute(eps));
    const Compute mean_grad = mean_of(grad);
    const Compute along = mean_of([=](int64_t i) { return grad(i) * centred(i); }) * scale * scale;
    opwright::map_range(
        grad_input.data + row * hidden, hidden,
        [=](auto incoming, auto value, auto factor) {
          return scale * (incoming * factor - mean_grad - (value - mean) * along);
        },
        g, x, w);
    means[row] = mean;
    scales[row] = scale;
  });
  opwright::sum_columns(grad_weight, rows, [&](int64_t i, int64_t j) {
    const Compute normal = (opwright::widen(input(i, j)) - means[i]) * scales[i];
    return opwright::widen(grad_output(i, j)) * normal;
  });
  opwright::sum_columns(grad_bias, rows,
                        [&](int64_t i, int64_t j) { return opwright::widen(grad_output(i, j)); });
}
