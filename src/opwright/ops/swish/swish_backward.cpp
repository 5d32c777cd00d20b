#include <opwright/kernel.h>

// grad_output * d silu(x) / dx, for any shape: the views are collapsed to one dimension.
template <typename T>
void swish_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> input,
                    opwright::View<T, 1> grad_input) {
  opwright::map(
      grad_input, [](auto g, auto x) { return g * opwright::silu_slope(x); }, grad_output, input);
}
