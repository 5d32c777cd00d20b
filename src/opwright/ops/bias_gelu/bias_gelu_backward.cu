#include <opwright/device_columns.h>
#include <opwright/device_math.h>
#include <opwright/kernel.h>

#include <cstring>

template <typename T, bool Tanh>
struct BiasGeluBackward {
  template <typename F>
  __device__ F operator()(F g, F x, F bias) const {
    return g * (Tanh ? opwright::gelu_tanh_slope(x + bias) : opwright::gelu_erf_slope<T>(x + bias));
  }
};

// grad_output * slope(input + bias), and its sum over the rows for each column. `approximate` is
// "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu_backward(opwright::View<const T, 2> grad_output, opwright::View<const T, 2> input,
                        opwright::View<const T, 1> bias, const char* approximate,
                        opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias,
                        opwright::Stream stream) {
  if (std::strcmp(approximate, "tanh") == 0) {
    opwright::map_rows_and_sum(stream, grad_input, grad_bias, BiasGeluBackward<T, true>(),
                               grad_output, input, bias);
  } else if (std::strcmp(approximate, "none") == 0) {
    opwright::map_rows_and_sum(stream, grad_input, grad_bias, BiasGeluBackward<T, false>(),
                               grad_output, input, bias);
  } else {
    throw opwright::KernelError("bias_gelu_backward: approximate has to be \"tanh\" or \"none\"");
  }
}
