#include "add2.h"

#include <torch/extension.h>

// Documented flaws: whatever the tensors hold is taken for float, wherever and of whatever size
// they are.
void torch_launch_add2(torch::Tensor& c, const torch::Tensor& a, const torch::Tensor& b, int n) {
  launch_add2((float*)c.data_ptr(), (const float*)a.data_ptr(), (const float*)b.data_ptr(), n);
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("torch_launch_add2", &torch_launch_add2, "c = a + b");
}
