#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void inline_assembly_kernel(opwright::View<const T, 1> input,
                                       opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (at < count) output.data[at] = input.data[at] * 2 + 0 * lane;
}

template <typename T>
void inline_assembly(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                     opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(inline_assembly_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
