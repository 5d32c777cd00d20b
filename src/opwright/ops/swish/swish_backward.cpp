#include <opwright/kernel.h>

// grad_output * d(x * s) / dx with s = sigmoid(x), for any shape: the views are collapsed to one
// dimension.
template <typename T>
void swish_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> input,
                    opwright::View<T, 1> grad_input) {
  opwright::map(
      grad_input,
      [](auto g, auto x) {
        const auto s = opwright::sigmoid(x);
        return g * s * (1 + x * (1 - s));
      },
      grad_output, input);
}
