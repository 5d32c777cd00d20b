#include <opwright/device.h>
#include <opwright/device_reduce.h>
#include <opwright/kernel.h>

// (x - mean) / sqrt(variance + eps) * weight + bias, a block a row. The variance is that of the
// differences from the mean: mean(x^2) - mean^2 would cancel where the mean is large.
template <typename T>
__global__ void layer_norm_kernel(opwright::View<const T, 2> input,
                                  opwright::View<const T, 1> weight,
                                  opwright::View<const T, 1> bias, opwright::compute_t<T> eps,
                                  opwright::View<T, 2> output) {
  using Compute = opwright::compute_t<T>;
  __shared__ Compute scratch[opwright::kMostWaves];
  const int64_t rows = input.size(0), hidden = input.size(1);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* const x = input.data + row * hidden;
    T* const result = output.data + row * hidden;
    Compute sum = 0, squares = 0;
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) sum += opwright::widen(x[i]);
    const Compute mean = opwright::block_sum(sum, scratch) / Compute(hidden);
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
      const Compute difference = opwright::widen(x[i]) - mean;
      squares += difference * difference;
    }
    squares = opwright::block_sum(squares, scratch);
    const Compute scale = Compute(1) / sqrt(squares / Compute(hidden) + eps);
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
      const Compute normal = (opwright::widen(x[i]) - mean) * scale;
      result[i] = opwright::narrow<T>(normal * opwright::widen(weight.data[i]) +
                                      opwright::widen(bias.data[i]));
    }
  }
}

template <typename T>
void layer_norm(opwright::View<const T, 2> input, opwright::View<const T, 1> weight,
                opwright::View<const T, 1> bias, double eps, opwright::View<T, 2> output,
                opwright::Stream stream) {
  const int threads = opwright::threads_for_row(input.size(1));
  opwright::launch(layer_norm_kernel<T>, opwright::blocks_for(input.size(0), 1), threads, stream,
                   input, weight, bias, eps, output);
}
