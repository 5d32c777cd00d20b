#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void twice(opwright::View<const T, 1> input, opwright::View<T, 1> output, int count) {
  for (int at = blockIdx.x * blockDim.x + threadIdx.x; at < count; at += gridDim.x * blockDim.x)
    output.data[at] = input.data[at] * 2;
}

template <typename T>
void index_in_int(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                  opwright::Stream stream) {
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  opwright::launch(twice<T>, blocks, kThreads, stream, input, output,
                   static_cast<int>(output.numel()));
}
