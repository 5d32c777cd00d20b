#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void count_kernel(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  for (int64_t at = threadIdx.x; at < input.numel(); at += blockDim.x)
    output.data[input.data[at] > 0] += 1;
}

template <typename T>
void counts_without_atomics(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                            opwright::Stream stream) {
  cudaMemsetAsync(output.data, 0, 2 * sizeof(T), stream);
  opwright::launch(count_kernel<T>, 1, 64, stream, input, output);
}
