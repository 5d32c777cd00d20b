#include <ATen/cuda/CUDAContext.h>
#include <hip/hip_runtime.h>
#include <math.h>
#include <torch/extension.h>

namespace {

// A block takes a stretch of one row, so that no thread has to divide to find its column.
__global__ void bias_gelu_kernel(const float* input, const float* bias, float* output, int64_t rows,
                                 int64_t hidden) {
  const int64_t row = blockIdx.y;  // documented flaw: there are no more than 65,535 of these
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row >= rows || column >= hidden) return;
  const float x = input[row * hidden + column] + bias[column];
  const float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
  output[row * hidden + column] = 0.5f * x * (1.0f + tanhf(inner));
}

}  // namespace

torch::Tensor bias_gelu_forward(torch::Tensor input, torch::Tensor bias) {
  TORCH_CHECK(input.is_cuda() && bias.is_cuda(), "input, bias: expected tensors on the device");
  TORCH_CHECK(input.device() == bias.device(), "input, bias: expected the same device");
  TORCH_CHECK(input.scalar_type() == at::kFloat, "input: expected float32");
  TORCH_CHECK(bias.scalar_type() == at::kFloat, "bias: expected float32");
  TORCH_CHECK(input.dim() == 2, "input: expected 2 dimensions");
  TORCH_CHECK(bias.dim() == 1, "bias: expected 1 dimension");
  TORCH_CHECK(input.size(1) == bias.size(0),
              "bias: expected as many elements as input has columns");
  TORCH_CHECK(input.is_contiguous(), "input: expected contiguous memory");
  TORCH_CHECK(bias.is_contiguous(), "bias: expected contiguous memory");

  auto output = torch::empty_like(input);
  const int64_t rows = input.size(0), hidden = input.size(1);
  if (rows == 0 || hidden == 0) return output;

  const int threads = 256;
  const dim3 grid(static_cast<unsigned>((hidden + threads - 1) / threads),
                  static_cast<unsigned>(rows));
  const hipStream_t stream = at::cuda::getCurrentCUDAStream().stream();
  hipLaunchKernelGGL(bias_gelu_kernel, grid, dim3(threads), 0, stream, input.data_ptr<float>(),
                     bias.data_ptr<float>(), output.data_ptr<float>(), rows, hidden);
  const hipError_t status = hipGetLastError();
  TORCH_CHECK(status == hipSuccess, "bias_gelu: the launch failed: ", hipGetErrorString(status));
  return output;
}
