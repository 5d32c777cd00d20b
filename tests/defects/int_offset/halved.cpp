#include <opwright/kernel.h>

template <typename T>
void halved(opwright::View<const T, 2> input, opwright::View<T, 2> output) {
  const T* in = &input(0, 0);
  const int step = static_cast<int>(input.stride(0) / 2);
  for (int64_t i = 0; i < input.size(0); ++i)
    for (int64_t j = 0; j < input.size(1); ++j)
      output(i, j) = in[static_cast<int>(unsigned(i) * unsigned(step) * 2u) + j * input.stride(1)] / 2;
}
