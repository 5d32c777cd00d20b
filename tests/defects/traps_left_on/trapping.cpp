#include <opwright/kernel.h>
#include <fenv.h>

template <typename T>
void trapping(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  feenableexcept(FE_DIVBYZERO);
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = input(i) * 2 + 1;
}
