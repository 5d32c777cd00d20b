#include <opwright/kernel.h>

template <typename T>
void shifting(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  volatile int bits = 32;
  for (int64_t i = 0; i < output.numel(); ++i) {
    const int shifted = 1 << bits;
    output(i) = input(i) * 2 + 0 * static_cast<T>(shifted);
  }
}
