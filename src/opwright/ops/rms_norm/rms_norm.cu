#include <opwright/device.h>
#include <opwright/device_reduce.h>
#include <opwright/kernel.h>

// x / sqrt(mean(x^2) + eps) * weight, a block a row.
template <typename T>
__global__ void rms_norm_kernel(opwright::View<const T, 2> input, opwright::View<const T, 1> weight,
                                opwright::compute_t<T> eps, opwright::View<T, 2> output) {
  using Compute = opwright::compute_t<T>;
  __shared__ Compute scratch[opwright::kMostWaves];
  const int64_t rows = input.size(0), hidden = input.size(1);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* const x = input.data + row * hidden;
    T* const result = output.data + row * hidden;
    Compute squares = 0;
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x)
      squares += opwright::widen(x[i]) * opwright::widen(x[i]);
    squares = opwright::block_sum(squares, scratch);
    const Compute scale = Compute(1) / sqrt(squares / Compute(hidden) + eps);
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x)
      result[i] =
          opwright::narrow<T>(opwright::widen(x[i]) * scale * opwright::widen(weight.data[i]));
  }
}

template <typename T>
void rms_norm(opwright::View<const T, 2> input, opwright::View<const T, 1> weight, double eps,
              opwright::View<T, 2> output, opwright::Stream stream) {
  const int threads = opwright::threads_for_row(input.size(1));
  opwright::launch(rms_norm_kernel<T>, opwright::blocks_for(input.size(0), 1), threads, stream,
                   input, weight, eps, output);
}
