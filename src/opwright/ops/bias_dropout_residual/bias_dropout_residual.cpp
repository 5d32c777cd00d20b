#include <opwright/kernel.h>
#include <opwright/random.h>

// residual + dropout(input + bias); an element's place in the tensor decides whether it is dropped.
template <typename T>
void bias_dropout_residual(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                           opwright::View<const T, 2> residual, double p, int64_t seed,
                           opwright::View<T, 2> output) {
  const opwright::Dropout dropout(p, seed);
  const int64_t hidden = input.size(1);
  opwright::for_each_row(input.size(0), hidden, [&](int64_t row) {
    for (int64_t j = 0, at = row * hidden; j < hidden; ++j, ++at) {
      const auto sum = opwright::widen(input.data[at]) + opwright::widen(bias.data[j]);
      const auto kept = dropout.of(sum, at);
      output.data[at] = opwright::narrow<T>(opwright::widen(residual.data[at]) + kept);
    }
  });
}
