#include <opwright/kernel.h>

template <typename T>
void row_sum(opwright::View<const T, 2> input, opwright::View<T, 1> output) {
  for (int64_t i = 0; i < input.size(0); ++i) {
    opwright::compute_t<T> total = 0;
    for (int64_t j = 0; j < input.size(1); ++j) total += opwright::widen(input(i, j));
    output(i) = opwright::narrow<T>(total);
  }
}
