#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/utils/pybind.h>

#include <utility>

at::Tensor scale(const at::Tensor& input, const at::Tensor& weight) {
  auto output = at::empty(input.sizes());
  const float *x = input.data_ptr<float>(), *w = weight.data_ptr<float>();
  for (int64_t i = 0; i < input.size(0); ++i)
    for (int64_t j = 0; j < input.size(1); ++j)
      output.data_ptr<float>()[i * input.size(1) + j] = x[i * input.size(1) + j] * w[j];
  return output;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("scale", &scale); }
