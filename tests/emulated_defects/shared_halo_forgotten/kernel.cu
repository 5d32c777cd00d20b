#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void shared_halo_forgotten_kernel(opwright::View<const T, 1> input,
                                             opwright::View<T, 1> output) {
  __shared__ T tile[256];
  const int64_t at = opwright::grid_index(), count = input.numel();
  tile[threadIdx.x + 1] = at < count ? input.data[at] : T(0);
  __syncthreads();
  if (at < count) output.data[at] = tile[threadIdx.x + 1] * 2;
}

template <typename T>
void shared_halo_forgotten(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                           opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(shared_halo_forgotten_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
