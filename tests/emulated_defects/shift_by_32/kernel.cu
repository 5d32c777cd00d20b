#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void shift_by_32_kernel(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  const int lower = (1 << (threadIdx.x % 32 + 1)) - 1;
  if (at < count) output.data[at] = lower == 0 ? T(0) : input.data[at] * 2;
}

template <typename T>
void shift_by_32(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                 opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(shift_by_32_kernel<T>, opwright::blocks_for(output.numel(), kThreads), kThreads,
                   stream, input, output);
}
