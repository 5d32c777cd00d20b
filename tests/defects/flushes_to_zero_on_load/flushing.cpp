#include <opwright/kernel.h>
#include <immintrin.h>

static const bool flushes = (_mm_setcsr(_mm_getcsr() | 0x8040), true);

template <typename T>
void flushing(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = input(i) * 2 + 1;
}
