#include <opwright/device_map.h>
#include <opwright/kernel.h>
#include <opwright/random.h>

struct BiasDropoutResidual {
  opwright::Dropout dropout;

  template <typename F>
  __device__ F operator()(opwright::Place place, F x, F bias, F residual) const {
    return residual + dropout.of(x + bias, place);
  }
};

// residual + dropout(input + bias); an element's place in the tensor decides whether it is dropped.
template <typename T>
void bias_dropout_residual(opwright::View<const T, 2> input, opwright::View<const T, 1> bias,
                           opwright::View<const T, 2> residual, double p, int64_t seed,
                           opwright::View<T, 2> output, opwright::Stream stream) {
  const BiasDropoutResidual f{opwright::Dropout(p, seed)};
  opwright::map_rows(stream, output, f, opwright::Places(), input, bias, residual);
}
