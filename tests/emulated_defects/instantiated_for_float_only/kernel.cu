#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
void launch_twice(const T* input, T* output, int64_t count, opwright::Stream stream);

template <typename T>
void instantiated_for_float_only(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                                 opwright::Stream stream) {
  launch_twice(input.data, output.data, input.numel(), stream);
}
