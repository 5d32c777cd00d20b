#include <opwright/kernel.h>

template <typename T>
void quads(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  for (int64_t i = 0; i + 4 <= output.numel(); i += 4)
    for (int64_t j = i; j < i + 4; ++j) output(j) = input(j) * T(0.5);
}
