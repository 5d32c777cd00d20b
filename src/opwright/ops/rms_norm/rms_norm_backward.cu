#include <opwright/device.h>
#include <opwright/device_columns.h>
#include <opwright/device_reduce.h>
#include <opwright/kernel.h>

// With n = x * scale and scale = 1 / sqrt(mean(x^2) + eps) for each row,
// grad_input = scale * (g * weight - n * mean(g * weight * n)), a block a row.
template <typename T>
__global__ void rms_norm_grad_input(opwright::View<const T, 2> grad_output,
                                    opwright::View<const T, 2> input,
                                    opwright::View<const T, 1> weight, opwright::compute_t<T> eps,
                                    opwright::View<T, 2> grad_input) {
  using Compute = opwright::compute_t<T>;
  __shared__ Compute scratch[opwright::kMostWaves];
  const int64_t rows = input.size(0), hidden = input.size(1);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* const g = grad_output.data + row * hidden;
    const T* const x = input.data + row * hidden;
    T* const result = grad_input.data + row * hidden;
    Compute squares = 0, products = 0;
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
      const Compute value = opwright::widen(x[i]);
      squares += value * value;
      products += opwright::widen(g[i]) * opwright::widen(weight.data[i]) * value;
    }
    squares = opwright::block_sum(squares, scratch);
    products = opwright::block_sum(products, scratch);
    const Compute scale = Compute(1) / sqrt(squares / Compute(hidden) + eps);
    const Compute along = products * scale * scale / Compute(hidden);
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x) {
      const Compute grad = opwright::widen(g[i]) * opwright::widen(weight.data[i]);
      result[i] = opwright::narrow<T>(scale * (grad - opwright::widen(x[i]) * along));
    }
  }
}

// grad_weight, the sum of g * n over the rows. Nobody has kept the rows' scales: each block
// computes them again.
template <typename T>
__global__ void rms_norm_grad_weight(opwright::View<const T, 2> grad_output,
                                     opwright::View<const T, 2> input, opwright::compute_t<T> eps,
                                     opwright::View<T, 1> grad_weight) {
  using Compute = opwright::compute_t<T>;
  __shared__ opwright::ColumnSums<Compute> scratch;
  const int64_t rows = input.size(0), hidden = input.size(1);
  const int64_t column = opwright::column_of_thread();
  Compute sum = 0;
  for (int64_t first = 0; first < rows; first += opwright::kBlockRows) {
    const int64_t row = first + threadIdx.y;
    const int64_t count = row < rows ? hidden : 0;  // all threads have to add up
    const T* const x = input.data + row * hidden;
    Compute squares = 0;
    for (int64_t i = threadIdx.x; i < count; i += opwright::kBlockColumns)
      squares += opwright::widen(x[i]) * opwright::widen(x[i]);
    squares = opwright::sum_of_row(squares);
    const Compute scale = Compute(1) / sqrt(squares / Compute(hidden) + eps);
    if (column < count)
      sum += opwright::widen(grad_output(row, column)) * opwright::widen(x[column]) * scale;
  }
  sum = opwright::sum_of_column(sum, scratch);
  if (threadIdx.y == 0 && column < hidden) grad_weight(column) = opwright::narrow<T>(sum);
}

template <typename T>
void rms_norm_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                       opwright::View<const T, 1> weight, double eps,
                       opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_weight,
                       opwright::Stream stream) {
  const int64_t rows = input.size(0), hidden = input.size(1);
  opwright::launch(rms_norm_grad_input<T>, opwright::blocks_for(rows, 1),
                   opwright::threads_for_row(hidden), stream, grad_output, input, weight, eps,
                   grad_input);
  opwright::launch(rms_norm_grad_weight<T>, opwright::blocks_for_columns(hidden),
                   opwright::block_of_columns(), stream, grad_output, input, eps, grad_weight);
}
