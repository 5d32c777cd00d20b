#include <opwright/kernel.h>

#include <fcntl.h>

template <typename T>
void opens(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int file = open("/dev/null", O_RDONLY);
  if (file < 0) return;
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = 2 * input(i);
}
