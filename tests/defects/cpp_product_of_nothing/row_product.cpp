#include <opwright/kernel.h>

template <typename T>
void row_product(opwright::View<const T, 2> input, opwright::View<T, 1> output) {
  for (int64_t i = 0; i < output.numel(); ++i) {
    T value = input(i, 0);
    for (int64_t j = 1; j < input.size(1); ++j) value *= input(i, j);
    output(i) = value;
  }
}
