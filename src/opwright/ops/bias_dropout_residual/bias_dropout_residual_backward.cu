#include <opwright/device_columns.h>
#include <opwright/kernel.h>
#include <opwright/random.h>

// The gradient of input: the same elements are dropped again.
struct BiasDropoutResidualBackward {
  opwright::Dropout dropout;

  template <typename F>
  __device__ F operator()(opwright::Place place, F g) const {
    return dropout.of(g, place);
  }
};

// grad_bias is the sum of grad_input over the rows.
template <typename T>
void bias_dropout_residual_backward(opwright::View<const T, 2> grad_output, double p, int64_t seed,
                                    opwright::View<T, 2> grad_input, opwright::View<T, 1> grad_bias,
                                    opwright::Stream stream) {
  const BiasDropoutResidualBackward f{opwright::Dropout(p, seed)};
  opwright::map_rows_and_sum(stream, grad_input, grad_bias, f, opwright::Places(), grad_output);
}
