#include <opwright/kernel.h>

template <typename T>
void octets(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const T* in = &input(0);
  T held[8];
  for (int64_t i = 0; i < output.numel(); i += 8) {
    for (int64_t j = 0; j < 8; ++j) *const_cast<volatile T*>(held + j) = in[i + j];
    for (int64_t j = 0; j < 8 && i + j < output.numel(); ++j) output(i + j) = held[j];
  }
}
