#include <torch/extension.h>

// In swish_kernel.hip.
template <typename scalar_t>
void launch_swish_forward(const scalar_t* input, scalar_t* output, int count);
template <typename scalar_t>
void launch_swish_backward(const scalar_t* grad, const scalar_t* input, scalar_t* grad_input,
                           int count);

#define CHECK_ON_DEVICE(x) TORCH_CHECK(x.device().is_cuda(), #x ": expected a tensor on the device")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x ": expected contiguous memory")
#define CHECK_INPUT(x) \
  CHECK_ON_DEVICE(x);  \
  CHECK_CONTIGUOUS(x)

torch::Tensor swish_forward(torch::Tensor input) {
  CHECK_INPUT(input);
  auto output = torch::empty_like(input);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "swish_forward", [&] {
    launch_swish_forward<scalar_t>(input.data_ptr<scalar_t>(), output.data_ptr<scalar_t>(),
                                   input.numel());
  });
  return output;
}

torch::Tensor swish_backward(torch::Tensor grad, torch::Tensor input) {
  CHECK_INPUT(grad);
  CHECK_INPUT(input);
  auto grad_input = torch::empty_like(input);
  AT_DISPATCH_FLOATING_TYPES(input.scalar_type(), "swish_backward", [&] {
    launch_swish_backward<scalar_t>(grad.data_ptr<scalar_t>(), input.data_ptr<scalar_t>(),
                                    grad_input.data_ptr<scalar_t>(), input.numel());
  });
  return grad_input;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, module) {
  module.def("forward", &swish_forward, "x * sigmoid(x)");
  module.def("backward", &swish_backward, "the gradient of that");
}
