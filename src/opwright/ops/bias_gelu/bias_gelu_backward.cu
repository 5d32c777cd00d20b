#include <opwright/device.h>
#include <opwright/device_columns.h>
#include <opwright/kernel.h>

#include <cstring>

// d gelu(x) / dx
template <bool Tanh, typename Compute>
__device__ Compute gelu_slope(Compute x) {
  if (Tanh) {  // 1.5957... is 2 * sqrt(2 / pi); s is 0.5 * (1 + tanh(u)), and `rest` is 1 - s
    const Compute k(1.5957691216057308), square = x * x;
    const Compute v = k * x * (Compute(1) + Compute(0.044715) * square);
    const Compute s = Compute(1) / (Compute(1) + exp(-v));
    const Compute rest = Compute(1) / (Compute(1) + exp(v));
    return s + x * s * rest * k * (Compute(1) + Compute(0.134145) * square);
  }
  // 0.3989... is 1 / sqrt(2 * pi)
  const Compute density = Compute(0.39894228040143268) * exp(Compute(-0.5) * x * x);
  return Compute(0.5) * erfc(x * Compute(-0.70710678118654752)) + x * density;
}

template <bool Tanh, typename T>
__global__ void bias_gelu_backward_kernel(opwright::View<const T, 2> grad_output,
                                          opwright::View<const T, 2> input,
                                          opwright::View<const T, 1> bias,
                                          opwright::View<T, 2> grad_input,
                                          opwright::View<T, 1> grad_bias) {
  using Compute = opwright::compute_t<T>;
  __shared__ opwright::ColumnSums<Compute> scratch;
  const int64_t rows = input.size(0), hidden = input.size(1);
  const int64_t column = opwright::column_of_thread();
  Compute sum = 0;
  if (column < hidden) {
    const Compute b = opwright::widen(bias.data[column]);
    for (int64_t row = threadIdx.y; row < rows; row += opwright::kBlockRows) {
      const int64_t at = row * hidden + column;
      const Compute slope = gelu_slope<Tanh>(opwright::widen(input.data[at]) + b);
      const Compute gradient = opwright::widen(grad_output.data[at]) * slope;
      grad_input.data[at] = opwright::narrow<T>(gradient);
      sum += gradient;
    }
  }
  sum = opwright::sum_of_column(sum, scratch);
  if (threadIdx.y == 0 && column < hidden) grad_bias.data[column] = opwright::narrow<T>(sum);
}

// `approximate` is "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                        opwright::View<const T, 1> bias, const char* approximate,
                        opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias,
                        opwright::Stream stream) {
  const dim3 block = opwright::block_of_columns();
  const unsigned blocks = opwright::blocks_for_columns(input.size(1));
  if (std::strcmp(approximate, "tanh") == 0) {
    opwright::launch(bias_gelu_backward_kernel<true, T>, blocks, block, stream, grad_output, input,
                     bias, grad_input, grad_bias);
  } else if (std::strcmp(approximate, "none") == 0) {
    opwright::launch(bias_gelu_backward_kernel<false, T>, blocks, block, stream, grad_output, input,
                     bias, grad_input, grad_bias);
  } else {
    throw opwright::KernelError("bias_gelu_backward: approximate has to be \"tanh\" or \"none\"");
  }
}
