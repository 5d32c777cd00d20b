#include <opwright/kernel.h>

template <typename T>
void smooth(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const T* in = &input(0);
  volatile T ahead = 0;
  for (int64_t i = 0; i < output.numel(); ++i) {
    output(i) = in[i];
    ahead = in[i + 1];
  }
}
