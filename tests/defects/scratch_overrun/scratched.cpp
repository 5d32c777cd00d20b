#include <opwright/kernel.h>
#include <vector>

template <typename T>
void scratched(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  std::vector<T> scratch(output.numel());
  T* at = scratch.data();
  for (int64_t i = 0; i <= output.numel(); ++i) at[i] = 0;
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = input(i) * 2;
}
