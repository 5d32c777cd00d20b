#include <opwright/kernel.h>

template <typename T>
void overflown(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  volatile T large = 0x7fffffff;
  for (int64_t i = 0; i < output.numel(); ++i) {
    volatile T above = input(i) + large;
    output(i) = above - large;
  }
}
