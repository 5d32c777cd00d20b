#include <opwright/device.h>
#include <opwright/kernel.h>
#include <opwright/random.h>

// residual + dropout(input + bias); an element's place in the tensor decides whether it is dropped.
template <typename T>
__global__ void bias_dropout_residual_kernel(opwright::View<const T, 2> input,
                                             opwright::View<const T, 1> bias,
                                             opwright::View<const T, 2> residual,
                                             opwright::Dropout dropout,
                                             opwright::View<T, 2> output) {
  const int64_t hidden = input.size(1), count = input.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const auto sum = opwright::widen(input.data[at]) + opwright::widen(bias.data[at % hidden]);
    const auto kept = dropout.of(sum, at);
    output.data[at] = opwright::narrow<T>(opwright::widen(residual.data[at]) + kept);
  }
}

template <typename T>
void bias_dropout_residual(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                           opwright::View<const T, 2> residual, double p, int64_t seed,
                           opwright::View<T, 2> output, opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(bias_dropout_residual_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, bias, residual, opwright::Dropout(p, seed), output);
}
