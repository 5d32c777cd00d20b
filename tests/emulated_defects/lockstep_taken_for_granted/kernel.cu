#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void sum_kernel(opwright::View<const T, 2> input, opwright::View<T, 1> output) {
  __shared__ T sums[32];
  const int64_t row = blockIdx.x, columns = input.size(1);
  const int lane = threadIdx.x;
  T sum = 0;
  for (int64_t i = lane; i < columns; i += 32) sum += input.data[row * columns + i];
  sums[lane] = sum;
  for (int step = 16; step > 0; step /= 2)
    if (lane < step) sums[lane] += sums[lane + step];
  if (lane == 0) output.data[row] = sums[0];
}

template <typename T>
void lockstep_taken_for_granted(opwright::View<const T, 2> input, opwright::View<T, 1> output,
                                opwright::Stream stream) {
  opwright::launch(sum_kernel<T>, opwright::blocks_for(input.size(0), 1), 32, stream, input,
                   output);
}
