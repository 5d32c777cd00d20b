#include <opwright/kernel.h>
#include <vector>

template <typename T>
void freed(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  for (int64_t i = 0; i < output.numel(); ++i) {
    const T* at;
    {
      const std::vector<T> scratch(1024, input(i));
      at = scratch.data();
    }
    const volatile T unused = at[1];
    output(i) = input(i) * 2;
  }
}
