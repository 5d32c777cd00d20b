#include <opwright/device.h>
#include <opwright/kernel.h>

// gate * sigmoid(gate) * up, for any shape: the views are contiguous and collapsed to one
// dimension.
template <typename T>
__global__ void swiglu_kernel(opwright::View<const T, 1> gate, opwright::View<const T, 1> up,
                              opwright::View<T, 1> output) {
  using Compute = opwright::compute_t<T>;
  const int64_t count = output.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const Compute x = opwright::widen(gate.data[at]), y = opwright::widen(up.data[at]);
    output.data[at] = opwright::narrow<T>(x / (Compute(1) + exp(-x)) * y);
  }
}

template <typename T>
void swiglu(opwright::View<const T, 1> gate, opwright::View<const T, 1> up,
            opwright::View<T, 1> output, opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(swiglu_kernel<T>, opwright::blocks_for(output.numel(), kThreads), kThreads,
                   stream, gate, up, output);
}
