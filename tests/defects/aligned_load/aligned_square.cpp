#include <opwright/kernel.h>
#include <xmmintrin.h>

template <typename T>
void aligned_square(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  int64_t i = 0;
  for (; i + 4 <= output.numel(); i += 4) {
    const __m128 four = _mm_load_ps(&input(i));  // used twice, so that it is a load of its own
    _mm_storeu_ps(&output(i), _mm_mul_ps(four, four));
  }
  for (; i < output.numel(); ++i) output(i) = input(i) * input(i);
}
