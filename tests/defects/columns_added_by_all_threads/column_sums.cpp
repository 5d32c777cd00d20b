#include <opwright/kernel.h>

template <typename T>
void column_sums(opwright::View<const T, 2> input, opwright::View<T, 1> output) {
  const int64_t rows = input.size(0), hidden = input.size(1);
  for (int64_t j = 0; j < hidden; ++j) output(j) = 0;
  opwright::parallel_for(0, rows, 256, [&](int64_t begin, int64_t end) {
    for (int64_t j = 0; j < hidden; ++j) {
      T sum = output(j);
      for (int64_t i = begin; i < end; ++i) sum += input(i, j);
      output(j) = sum;
    }
  });
}
