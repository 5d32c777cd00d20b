#include <opwright/device.h>
#include <opwright/kernel.h>

// The gradients of silu(gate) * up, for any shape: the views are collapsed to one dimension.
template <typename T>
__global__ void swiglu_backward_kernel(opwright::View<const T, 1> grad_output,
                                       opwright::View<const T, 1> gate,
                                       opwright::View<const T, 1> up,
                                       opwright::View<T, 1> grad_gate,
                                       opwright::View<T, 1> grad_up) {
  using Compute = opwright::compute_t<T>;
  const int64_t count = gate.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const Compute g = opwright::widen(grad_output.data[at]);
    const Compute x = opwright::widen(gate.data[at]), y = opwright::widen(up.data[at]);
    const Compute s = Compute(1) / (Compute(1) + exp(-x));
    const Compute slope = s * (Compute(1) + x * (Compute(1) - s));
    grad_gate.data[at] = opwright::narrow<T>(g * y * slope);
    grad_up.data[at] = opwright::narrow<T>(g * x * s);
  }
}

template <typename T>
void swiglu_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> gate,
                     opwright::View<const T, 1> up, opwright::View<T, 1> grad_gate,
                     opwright::View<T, 1> grad_up, opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(swiglu_backward_kernel<T>, opwright::blocks_for(gate.numel(), kThreads),
                   kThreads, stream, grad_output, gate, up, grad_gate, grad_up);
}
