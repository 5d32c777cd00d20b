#include <opwright/kernel.h>

template <typename T>
void running(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  static T total = 0;
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = total += input(i);
}
