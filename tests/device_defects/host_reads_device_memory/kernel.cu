#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void twice(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t count = input.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step())
    output.data[at] = input.data[at] * 2;
}

template <typename T>
void host_reads_device_memory(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                              opwright::Stream stream) {
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  if (input.data[0] != input.data[0]) throw opwright::KernelError("the first is NaN");
  opwright::launch(twice<T>, blocks, kThreads, stream, input, output);
}
