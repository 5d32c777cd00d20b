#include <opwright/kernel.h>

template <typename T>
void cleared(opwright::View<T, 2> target) {
  const int64_t last = &target(target.size(0) - 1, target.size(1) - 1) - &target(0, 0);
  for (int64_t i = 0; i <= last; ++i) (&target(0, 0))[i] = 0;
}
