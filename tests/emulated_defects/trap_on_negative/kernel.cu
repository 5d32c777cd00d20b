#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void trap_on_negative_kernel(opwright::View<const T, 1> input,
                                        opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  if (at < count && input.data[at] < 0) __trap();
  if (at < count) output.data[at] = input.data[at] * 2;
}

template <typename T>
void trap_on_negative(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                      opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(trap_on_negative_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
