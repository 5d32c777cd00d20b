#include <opwright/device.h>
#include <opwright/device_reduce.h>
#include <opwright/kernel.h>

// exp(x - largest) / sum, a block a row; the largest keeps exp from overflowing.
template <typename T>
__global__ void row_softmax_kernel(opwright::View<const T, 2> input, opwright::View<T, 2> output) {
  using Compute = opwright::compute_t<T>;
  __shared__ Compute scratch[opwright::kMostWaves];
  const int64_t rows = input.size(0), columns = input.size(1);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* const x = input.data + row * columns;
    T* const result = output.data + row * columns;
    Compute largest = -INFINITY, sum = 0;
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
      largest = opwright::widen(x[i]) > largest ? opwright::widen(x[i]) : largest;
    largest = opwright::block_max(largest, scratch);
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
      sum += exp(opwright::widen(x[i]) - largest);
    sum = opwright::block_sum(sum, scratch);
    for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
      result[i] = opwright::narrow<T>(exp(opwright::widen(x[i]) - largest) / sum);
  }
}

template <typename T>
void row_softmax(opwright::View<const T, 2> input, opwright::View<T, 2> output,
                 opwright::Stream stream) {
  const int threads = opwright::threads_for_row(input.size(1));
  opwright::launch(row_softmax_kernel<T>, opwright::blocks_for(input.size(0), 1), threads, stream,
                   input, output);
}
