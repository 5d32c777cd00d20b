#include <opwright/device_map.h>
#include <opwright/device_math.h>
#include <opwright/kernel.h>

#include <cstring>

template <typename T, bool Tanh>
struct BiasGelu {
  template <typename F>
  __device__ F operator()(F x, F bias) const {
    return Tanh ? opwright::gelu_tanh(x + bias) : opwright::gelu_erf<T>(x + bias);
  }
};

// gelu(input + bias). `approximate` is "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
               const char* approximate, opwright::View<T, 2> output, opwright::Stream stream) {
  if (std::strcmp(approximate, "tanh") == 0) {
    opwright::map_rows(stream, output, BiasGelu<T, true>(), input, bias);
  } else if (std::strcmp(approximate, "none") == 0) {
    opwright::map_rows(stream, output, BiasGelu<T, false>(), input, bias);
  } else {
    throw opwright::KernelError("bias_gelu: approximate has to be \"tanh\" or \"none\"");
  }
}
