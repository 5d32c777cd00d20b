#include <opwright/kernel.h>

// The gradients of silu(gate) * up, for any shape: the views are collapsed to one dimension.
template <typename T>
void swiglu_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> gate,
                     opwright::View<const T, 1> up, opwright::View<T, 1> grad_gate,
                     opwright::View<T, 1> grad_up) {
  opwright::map(
      grad_gate, [](auto g, auto x, auto y) { return g * y * opwright::silu_slope(x); },
      grad_output, gate, up);
  opwright::map(grad_up, [](auto g, auto x) { return g * opwright::silu(x); }, grad_output, gate);
}
