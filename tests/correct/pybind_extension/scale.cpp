#include <torch/extension.h>

#include <utility>

torch::Tensor scale(const torch::Tensor& input, const torch::Tensor& weight) {
  TORCH_CHECK(input.dim() == 2 && input.scalar_type() == torch::kFloat,
              "input: expected float32 with 2 dimensions");
  TORCH_CHECK(weight.dim() == 1 && weight.size(0) == input.size(1),
              "weight: expected one value a column");
  TORCH_CHECK(weight.scalar_type() == torch::kFloat, "weight: expected float32");
  TORCH_CHECK(input.device() == weight.device(), "input and weight: expected one device");
  const auto rows = input.contiguous(), factors = weight.contiguous();
  auto output = torch::empty_like(rows);
  for (int64_t i = 0; i < rows.size(0); ++i)
    for (int64_t j = 0; j < rows.size(1); ++j)
      output.data_ptr<float>()[i * rows.size(1) + j] =
          rows.data_ptr<float>()[i * rows.size(1) + j] * factors.data_ptr<float>()[j];
  return output;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) { module.def("scale", &scale); }
