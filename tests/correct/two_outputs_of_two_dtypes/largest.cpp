#include <opwright/kernel.h>

template <typename T>
void largest(opwright::View<const T, 2> input, opwright::View<T, 1> value,
             opwright::View<int64_t, 1> place) {
  for (int64_t i = 0; i < input.size(0); ++i) {
    int64_t best = 0;
    for (int64_t j = 1; j < input.size(1); ++j)
      if (input(i, j) > input(i, best)) best = j;
    value(i) = input(i, best);
    place(i) = best;
  }
}
