#include <opwright/kernel.h>

#include <cstring>

// grad_output * slope(input + bias) for each element, and its sum over the rows for each column.
template <typename T, typename Slope>
static void bias_gelu_gradients(opwright::View<const T, 2> grad_output,
                                opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                                opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias,
                                Slope slope) {
  opwright::sum_columns(grad_bias, input.size(0), [=](int64_t i, int64_t j) {
    const auto x = opwright::widen(input(i, j)) + opwright::widen(bias(j));
    const auto gradient = opwright::widen(grad_output(i, j)) * slope(x);
    grad_input(i, j) = opwright::narrow<T>(gradient);
    return gradient;
  });
}

// `approximate` is "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                        opwright::View<const T, 1> bias, const char* approximate,
                        opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias) {
  if (std::strcmp(approximate, "tanh") == 0) {
    bias_gelu_gradients(grad_output, input, bias, grad_input, grad_bias,
                        [](auto x) { return opwright::gelu_tanh_slope(x); });
  } else if (std::strcmp(approximate, "none") == 0) {
    bias_gelu_gradients(grad_output, input, bias, grad_input, grad_bias,
                        [](auto x) { return opwright::gelu_erf_slope(x); });
  } else {
    throw opwright::KernelError("bias_gelu_backward: approximate has to be \"tanh\" or \"none\"");
  }
}
