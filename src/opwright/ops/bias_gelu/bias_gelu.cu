#include <opwright/device.h>
#include <opwright/kernel.h>

#include <cstring>

// gelu(input + bias) for each element; a thread steps on by the whole grid, in 64 bits.
template <bool Tanh, typename T>
__global__ void bias_gelu_kernel(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                                 opwright::View<T, 2> output) {
  using Compute = opwright::compute_t<T>;
  const int64_t hidden = input.size(1), count = input.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const Compute x = opwright::widen(input.data[at]) + opwright::widen(bias.data[at % hidden]);
    Compute inner;
    if (Tanh) {  // 0.7978... is sqrt(2 / pi)
      inner = tanh(Compute(0.79788456080286536) * (x + Compute(0.044715) * x * x * x));
    } else {  // 0.7071... is sqrt(1 / 2)
      inner = erf(x * Compute(0.70710678118654752));
    }
    output.data[at] = opwright::narrow<T>(Compute(0.5) * x * (Compute(1) + inner));
  }
}

// `approximate` is "tanh" or "none", as in torch.nn.functional.gelu.
template <typename T>
void bias_gelu(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
               const char* approximate, opwright::View<T, 2> output, opwright::Stream stream) {
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  if (std::strcmp(approximate, "tanh") == 0) {
    opwright::launch(bias_gelu_kernel<true, T>, blocks, kThreads, stream, input, bias, output);
  } else if (std::strcmp(approximate, "none") == 0) {
    opwright::launch(bias_gelu_kernel<false, T>, blocks, kThreads, stream, input, bias, output);
  } else {
    throw opwright::KernelError("bias_gelu: approximate has to be \"tanh\" or \"none\"");
  }
}
