#include <opwright/device.h>
#include <opwright/kernel.h>

// grad_output * d(x * s) / dx with s = sigmoid(x), for any shape: the views are collapsed to one
// dimension.
template <typename T>
__global__ void swish_backward_kernel(opwright::View<const T, 1> grad_output,
                                      opwright::View<const T, 1> input,
                                      opwright::View<T, 1> grad_input) {
  using Compute = opwright::compute_t<T>;
  const int64_t count = input.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const Compute g = opwright::widen(grad_output.data[at]), x = opwright::widen(input.data[at]);
    const Compute s = Compute(1) / (Compute(1) + exp(-x));
    grad_input.data[at] = opwright::narrow<T>(g * s * (Compute(1) + x * (Compute(1) - s)));
  }
}

template <typename T>
void swish_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> input,
                    opwright::View<T, 1> grad_input, opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(swish_backward_kernel<T>, opwright::blocks_for(grad_input.numel(), kThreads),
                   kThreads, stream, grad_output, input, grad_input);
}
