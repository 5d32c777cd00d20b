#include <opwright/kernel.h>

#include <cstdlib>

template <typename T>
void setting(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  setenv("OMP_WAIT_POLICY", "ACTIVE", 1);
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = 2 * input(i);
}
