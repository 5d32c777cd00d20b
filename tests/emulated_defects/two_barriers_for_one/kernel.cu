#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void two_barriers_for_one_kernel(opwright::View<const T, 1> input,
                                            opwright::View<T, 1> output) {
  __shared__ T tile[128];
  const int64_t at = opwright::grid_index(), count = input.numel();
  if (threadIdx.x < 128) {
    tile[threadIdx.x] = 2;
    __syncthreads();
  } else {
    __syncthreads();
  }
  if (at < count) output.data[at] = input.data[at] * tile[threadIdx.x % 128];
}

template <typename T>
void two_barriers_for_one(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                          opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(two_barriers_for_one_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
