#include <opwright/kernel.h>

template <typename T>
void tabled(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  volatile float table[4] = {2, 2, 2, 2};
  for (int64_t i = 0; i < output.numel(); ++i) {
    const float unused = table[i % 5];
    output(i) = input(i) * (i % 5 == 4 ? 2 : unused);
  }
}
