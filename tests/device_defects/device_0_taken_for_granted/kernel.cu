#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void twice(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t count = input.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step())
    output.data[at] = input.data[at] * 2;
}

template <typename T>
void device_0_taken_for_granted(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                                opwright::Stream stream) {
  cudaSetDevice(0);
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  opwright::launch(twice<T>, blocks, kThreads, stream, input, output);
}
