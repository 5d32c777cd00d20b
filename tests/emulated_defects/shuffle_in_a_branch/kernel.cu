#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void shuffle_in_a_branch_kernel(opwright::View<const T, 1> input,
                                           opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  T x = at < count ? input.data[at] : T(0);
  if (threadIdx.x % 32 < 16) x += 0 * __shfl_xor_sync(0xffffffffu, x, 8);
  __syncthreads();
  if (at < count) output.data[at] = x * 2;
}

template <typename T>
void shuffle_in_a_branch(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                         opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(shuffle_in_a_branch_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
