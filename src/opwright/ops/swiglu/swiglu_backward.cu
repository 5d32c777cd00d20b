#include <opwright/device_map.h>
#include <opwright/device_math.h>
#include <opwright/kernel.h>

// The gradients of silu(gate) * up.
template <typename T>
struct SwiGluBackward {
  template <typename F>
  __device__ opwright::Two<F> operator()(F g, F gate, F up) const {
    const F s = opwright::sigmoid<T>(gate);
    return {g * up * (s * (F(1) + gate * (F(1) - s))), g * gate * s};
  }
};

// For any shape: the views are collapsed to one dimension.
template <typename T>
void swiglu_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> gate,
                     opwright::View<const T, 1> up, opwright::View<T, 1> grad_gate,
                     opwright::View<T, 1> grad_up, opwright::Stream stream) {
  opwright::map(stream, opwright::two(grad_gate, grad_up), SwiGluBackward<T>(), grad_output, gate,
                up);
}
