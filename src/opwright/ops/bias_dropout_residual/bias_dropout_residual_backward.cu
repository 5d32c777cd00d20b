#include <opwright/device.h>
#include <opwright/device_columns.h>
#include <opwright/kernel.h>
#include <opwright/random.h>

// The same elements are dropped again. grad_bias is the sum of grad_input over the rows.
template <typename T>
__global__ void bias_dropout_residual_backward_kernel(opwright::View<const T, 2> grad_output,
                                                      opwright::Dropout dropout,
                                                      opwright::View<T, 2> grad_input,
                                                      opwright::View<T, 1> grad_bias,
                                                      opwright::View<T, 2> grad_residual) {
  using Compute = opwright::compute_t<T>;
  __shared__ opwright::ColumnSums<Compute> scratch;
  const int64_t rows = grad_output.size(0), hidden = grad_output.size(1);
  const int64_t column = opwright::column_of_thread();
  Compute sum = 0;
  if (column < hidden) {
    for (int64_t row = threadIdx.y; row < rows; row += opwright::kBlockRows) {
      const int64_t at = row * hidden + column;
      const Compute kept = dropout.of(opwright::widen(grad_output.data[at]), at);
      grad_input.data[at] = opwright::narrow<T>(kept);
      grad_residual.data[at] = grad_output.data[at];
      sum += kept;
    }
  }
  sum = opwright::sum_of_column(sum, scratch);
  if (threadIdx.y == 0 && column < hidden) grad_bias(column) = opwright::narrow<T>(sum);
}

template <typename T>
void bias_dropout_residual_backward(opwright::View<const T, 2> grad_output, double p, int64_t seed,
                                    opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias,
                                    opwright::View<T, 2> grad_residual, opwright::Stream stream) {
  opwright::launch(bias_dropout_residual_backward_kernel<T>,
                   opwright::blocks_for_columns(grad_output.size(1)), opwright::block_of_columns(),
                   stream, grad_output, opwright::Dropout(p, seed), grad_input, grad_bias,
                   grad_residual);
}
