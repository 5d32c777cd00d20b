#include <opwright/kernel.h>

template <typename T>
void scaled_power(opwright::View<const T, 1> input, int64_t power, double scale, bool negate,
                  const char* mode, opwright::Optional<double> limit, opwright::View<T, 1> output) {
  for (int64_t i = 0; i < output.numel(); ++i) {
    T value = 1;
    for (int64_t k = 0; k < power; ++k) value *= input(i);
    value *= static_cast<T>(scale);
    if (negate) value = -value;
    if (mode[0] == 'm' && value < 0) value = -value;
    if (limit && value > *limit) value = static_cast<T>(*limit);
    output(i) = value;
  }
}
