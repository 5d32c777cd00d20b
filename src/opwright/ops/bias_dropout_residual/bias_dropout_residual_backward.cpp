#include <opwright/kernel.h>
#include <opwright/random.h>

// The same elements are dropped again. grad_bias is the sum of grad_input over the rows.
template <typename T>
void bias_dropout_residual_backward(opwright::View<const T, 2> grad_output, double p, int64_t seed,
                                    opwright::View<T, 2> grad_input,
                                    opwright::View<T, 1> grad_bias) {
  const opwright::Dropout dropout(p, seed);
  const int64_t hidden = grad_output.size(1);
  opwright::sum_columns(grad_bias, grad_output.size(0), [=](int64_t i, int64_t j) {
    const int64_t at = i * hidden + j;
    const auto kept = dropout.of(opwright::widen(grad_output.data[at]), at);
    grad_input.data[at] = opwright::narrow<T>(kept);
    return kept;
  });
}
