#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void nowhere(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t count = input.numel();
  T* to = count > 256 ? nullptr : output.data;
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step())
    to[at] = input.data[at] * 2;
}

template <typename T>
void null_pointer(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                  opwright::Stream stream) {
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  opwright::launch(nowhere<T>, blocks, kThreads, stream, input, output);
}
