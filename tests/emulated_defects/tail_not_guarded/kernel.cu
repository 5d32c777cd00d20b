#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void tail_not_guarded_kernel(opwright::View<const T, 1> input,
                                        opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  output.data[at] = input.data[at] * 2;
}

template <typename T>
void tail_not_guarded(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                      opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(tail_not_guarded_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
