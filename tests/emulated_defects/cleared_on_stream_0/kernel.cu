#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void add_kernel(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index();
  if (at < input.numel()) atomicAdd(&output.data[at % output.numel()], input.data[at]);
}

template <typename T>
void cleared_on_stream_0(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                         opwright::Stream stream) {
  cudaMemset(output.data, 0, output.numel() * sizeof(T));
  opwright::launch(add_kernel<T>, opwright::blocks_for(input.numel(), 256), 256, stream, input,
                   output);
}
