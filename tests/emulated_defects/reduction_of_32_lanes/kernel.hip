#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void reduction_of_32_lanes_kernel(opwright::View<const T, 2> input,
                                             opwright::View<T, 1> output) {
  const int64_t row = blockIdx.x, columns = input.size(1);
  __shared__ T partial[32];
  T sum = 0;
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) sum += input.data[row * columns + i];
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int wave = 1; wave < static_cast<int>(blockDim.x) / warpSize; ++wave) sum += partial[wave];
  output.data[row] = sum;
}

template <typename T>
void reduction_of_32_lanes(opwright::View<const T, 2> input, opwright::View<T, 1> output,
                           opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(reduction_of_32_lanes_kernel<T>, opwright::blocks_for(input.size(0), 1),
                   kThreads, stream, input, output);
}
