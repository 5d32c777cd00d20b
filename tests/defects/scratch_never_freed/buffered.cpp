#include <opwright/kernel.h>
#include <cstdlib>

template <typename T>
void buffered(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  T* held = static_cast<T*>(std::malloc(output.numel() * sizeof(T)));
  for (int64_t i = 0; i < output.numel(); ++i) held[i] = input(i) * 2;
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = *const_cast<volatile T*>(held + i) + 1;
}
