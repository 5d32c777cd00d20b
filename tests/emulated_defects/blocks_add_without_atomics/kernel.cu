#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void total_kernel(opwright::View<const T, 2> input, opwright::View<T, 1> output) {
  const int64_t row = blockIdx.x;
  for (int64_t i = threadIdx.x; i < input.size(1); i += blockDim.x)
    output.data[i] += input.data[row * input.size(1) + i];
}

template <typename T>
void blocks_add_without_atomics(opwright::View<const T, 2> input, opwright::View<T, 1> output,
                                opwright::Stream stream) {
  cudaMemsetAsync(output.data, 0, output.numel() * sizeof(T), stream);
  opwright::launch(total_kernel<T>, opwright::blocks_for(input.size(0), 1), 256, stream, input,
                   output);
}
