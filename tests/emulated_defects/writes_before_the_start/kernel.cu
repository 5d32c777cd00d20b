#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void writes_before_the_start_kernel(opwright::View<const T, 1> input,
                                               opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  if (at >= count) return;
  output.data[at - 1] = input.data[at] * 2;
}

template <typename T>
void writes_before_the_start(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                             opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(writes_before_the_start_kernel<T>,
                   opwright::blocks_for(output.numel(), kThreads), kThreads, stream, input, output);
}
