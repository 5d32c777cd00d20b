#include <cmath>

#include <opwright/kernel.h>

template <typename T>
void gradient_differentiated_again_backward(opwright::View<const T, 2> grad_output,
                                            opwright::View<const T, 2> input,
                                            opwright::View<const T, 1> gain,
                                            opwright::View<T, 2> grad_input,
                                            opwright::View<T, 1> grad_gain) {
  for (int64_t j = 0; j < input.size(1); ++j) {
    opwright::compute_t<T> total = 0;
    for (int64_t i = 0; i < input.size(0); ++i) {
      const auto grad = opwright::widen(grad_output(i, j));
      const auto s = 1 / (1 + std::exp(-opwright::widen(input(i, j))));
      grad_input(i, j) = opwright::narrow<T>(grad * opwright::widen(gain(j)) * s * (1 - s));
      total += grad * s;
    }
    grad_gain(j) = opwright::narrow<T>(total);
  }
}
