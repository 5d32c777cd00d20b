#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void tile_too_large_kernel(opwright::View<const T, 1> input,
                                      opwright::View<T, 1> output) {
  __shared__ float tile[128][128];
  const int64_t at = opwright::grid_index(), count = input.numel();
  for (int i = threadIdx.x; i < 128 * 128; i += blockDim.x) tile[i / 128][i % 128] = 2;
  __syncthreads();
  if (at < count) output.data[at] = input.data[at] * tile[at % 128][threadIdx.x % 128];
}

template <typename T>
void tile_too_large(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                    opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(tile_too_large_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
