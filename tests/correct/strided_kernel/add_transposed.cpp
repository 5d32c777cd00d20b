#include <opwright/kernel.h>

template <typename T>
void add_transposed(opwright::View<T, 2> target, opwright::View<const T, 2> other) {
  for (int64_t i = 0; i < target.size(0); ++i)
    for (int64_t j = 0; j < target.size(1); ++j) target(i, j) += other(j, i);
}
