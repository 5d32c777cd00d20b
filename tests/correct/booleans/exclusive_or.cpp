#include <opwright/kernel.h>

template <typename T>
void exclusive_or(opwright::View<const T, 1> a, opwright::View<const T, 1> b,
                  opwright::View<T, 1> output) {
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = a(i) != b(i);
}
