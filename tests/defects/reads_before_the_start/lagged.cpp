#include <opwright/kernel.h>

template <typename T>
void lagged(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const T* in = &input(0);
  volatile T behind = 0;
  for (int64_t i = 0; i < output.numel(); ++i) {
    behind = in[i - 1];
    output(i) = in[i];
  }
}
