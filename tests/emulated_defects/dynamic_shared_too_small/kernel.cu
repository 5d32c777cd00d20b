#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void dynamic_shared_too_small_kernel(opwright::View<const T, 1> input,
                                                opwright::View<T, 1> output) {
  extern __shared__ float tile[];
  const int64_t at = opwright::grid_index(), count = input.numel();
  tile[threadIdx.x] = at < count ? input.data[at] : T(0);
  __syncthreads();
  if (at < count) output.data[at] = tile[threadIdx.x] * 2;
}

template <typename T>
void dynamic_shared_too_small(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                              opwright::Stream stream) {
  const unsigned blocks = opwright::blocks_for(output.numel(), 256);
  dynamic_shared_too_small_kernel<T><<<blocks, 256, 128 * sizeof(T), stream>>>(input, output);
  opwright::check_launch();
}
