#include <opwright/kernel.h>

#include <cstring>

// gelu(input + bias) for each row; input is collapsed to (rows, hidden), output is contiguous.
template <typename T, typename Gelu>
static void bias_gelu_rows(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                           opwright::View<T, 2> output, Gelu gelu) {
  opwright::map_rows(output, [gelu](auto x, auto b) { return gelu(x + b); }, input, bias);
}

// `approximate` is "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
               const char* approximate, opwright::View<T, 2> output) {
  if (std::strcmp(approximate, "tanh") == 0) {
    bias_gelu_rows(input, bias, output, [](auto x) { return opwright::gelu_tanh(x); });
  } else if (std::strcmp(approximate, "none") == 0) {
    bias_gelu_rows(input, bias, output, [](auto x) { return opwright::gelu_erf(x); });
  } else {
    throw opwright::KernelError("bias_gelu: approximate has to be \"tanh\" or \"none\"");
  }
}
