#include <opwright/kernel.h>

template <typename T>
void gated(opwright::View<const T, 2> input, opwright::View<T, 2> output) {
  for (int64_t i = 0; i < output.size(0); ++i)
    for (int64_t j = 0; j < output.size(1); ++j) {
      const auto gate = opwright::widen(input(i, j));
      const auto value = opwright::widen(input(i, j + output.size(1)));
      output(i, j) = opwright::narrow<T>(opwright::silu(gate) * value);
    }
}
