#include <opwright/kernel.h>

template <typename T>
void affine(opwright::View<const T, 2> input, opwright::View<const T, 1> weight,
            opwright::View<const T, 1> bias, opwright::View<T, 2> output) {
  for (int64_t i = 0; i < input.size(0); ++i)
    for (int64_t j = 0; j < input.size(1); ++j) {
      T value = input(i, j);
      if (weight) value = value * weight(j);
      if (bias) value = value + bias(j);
      output(i, j) = value;
    }
}
