// The Python module; the operator itself is in bias_gelu_kernel.cu.
#include <torch/extension.h>

torch::Tensor bias_gelu_forward(torch::Tensor input, torch::Tensor bias);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("forward", &bias_gelu_forward, "gelu(input + bias), tanh form");
}
