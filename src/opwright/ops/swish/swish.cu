#include <opwright/device.h>
#include <opwright/kernel.h>

// x * sigmoid(x), for any shape: the views are contiguous and collapsed to one dimension.
template <typename T>
__global__ void swish_kernel(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  using Compute = opwright::compute_t<T>;
  const int64_t count = input.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const Compute x = opwright::widen(input.data[at]);
    output.data[at] = opwright::narrow<T>(x / (Compute(1) + exp(-x)));
  }
}

template <typename T>
void swish(opwright::View<const T, 1> input, opwright::View<T, 1> output, opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(swish_kernel<T>, opwright::blocks_for(output.numel(), kThreads), kThreads,
                   stream, input, output);
}
