#include <opwright/device.h>
#include <opwright/kernel.h>

#include <cstring>

// A block has kColumns columns to itself; its rows of threads go down the rows of the tensors.
constexpr int kColumns = 32, kRows = 8;

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
  __shared__ Compute sums[kRows][kColumns];
  const int64_t rows = input.size(0), hidden = input.size(1);
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kColumns + threadIdx.x;
  Compute sum = 0;
  if (column < hidden) {
    const Compute b = opwright::widen(bias.data[column]);
    for (int64_t row = threadIdx.y; row < rows; row += kRows) {
      const int64_t at = row * hidden + column;
      const Compute slope = gelu_slope<Tanh>(opwright::widen(input.data[at]) + b);
      const Compute gradient = opwright::widen(grad_output.data[at]) * slope;
      grad_input.data[at] = opwright::narrow<T>(gradient);
      sum += gradient;
    }
  }
  sums[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && column < hidden) {
    for (int row = 1; row < kRows; ++row) sum += sums[row][threadIdx.x];
    grad_bias.data[column] = opwright::narrow<T>(sum);
  }
}

// `approximate` is "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                        opwright::View<const T, 1> bias, const char* approximate,
                        opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias,
                        opwright::Stream stream) {
  const dim3 block(kColumns, kRows);
  const unsigned blocks = static_cast<unsigned>((input.size(1) + kColumns - 1) / kColumns);
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
