#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void barrier_in_a_branch_kernel(opwright::View<const T, 1> input,
                                           opwright::View<T, 1> output) {
  __shared__ T tile[256];
  const int64_t at = opwright::grid_index(), count = input.numel();
  if (at < count) {
    tile[threadIdx.x] = input.data[at];
    __syncthreads();
    output.data[at] = tile[threadIdx.x] * 2;
  }
}

template <typename T>
void barrier_in_a_branch(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                         opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(barrier_in_a_branch_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
