#include <opwright/kernel.h>
#include <xmmintrin.h>

template <typename T>
void aligned_sum(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  int64_t i = 0;
  for (; i + 4 <= output.numel(); i += 4)
    _mm_storeu_ps(&output(i), _mm_add_ps(_mm_load_ps(&input(i)), _mm_set1_ps(1)));
  for (; i < output.numel(); ++i) output(i) = input(i) + 1;
}
