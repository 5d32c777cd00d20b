#include <opwright/device.h>
#include <opwright/kernel.h>

// The positive elements, one after the other, and zeros.
template <typename T>
__global__ void positive_kernel(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  __shared__ int taken;
  if (threadIdx.x == 0) taken = 0;
  for (int64_t i = threadIdx.x; i < input.numel(); i += blockDim.x) output.data[i] = 0;
  __syncthreads();
  const int64_t at = threadIdx.x;
  if (at < input.numel() && input.data[at] > 0) output.data[atomicAdd(&taken, 1)] = input.data[at];
}

template <typename T>
void order_of_arrival(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                      opwright::Stream stream) {
  opwright::launch(positive_kernel<T>, 1, 1024, stream, input, output);
}
