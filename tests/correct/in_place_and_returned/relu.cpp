#include <opwright/kernel.h>

template <typename T>
void relu_with_mask(opwright::View<T, 1> target, opwright::View<bool, 1> mask) {
  for (int64_t i = 0; i < target.numel(); ++i) {
    mask(i) = target(i) < 0;
    if (mask(i)) target(i) = 0;
  }
}
