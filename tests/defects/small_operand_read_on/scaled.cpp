#include <opwright/kernel.h>

template <typename T>
void scaled(opwright::View<const T, 1> input, opwright::View<const T, 1> scale, opwright::View<T, 1> output) {
  const T* factor = &scale(0);
  volatile T unused = 0;
  for (int64_t i = 0; i < output.numel(); ++i) {
    unused = factor[i];
    output(i) = input(i) * factor[0];
  }
}
