#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void barrier_forgotten_kernel(opwright::View<const T, 1> input,
                                         opwright::View<T, 1> output) {
  __shared__ T tile[256];
  const int64_t at = opwright::grid_index(), count = input.numel();
  tile[threadIdx.x] = at < count ? input.data[at] : T(0);
  const T other = tile[threadIdx.x ^ 64];
  if (at < count) output.data[at] = input.data[at] * 2 + 0 * other;
}

template <typename T>
void barrier_forgotten(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                       opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(barrier_forgotten_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
