#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void grid_of_nothing_kernel(opwright::View<const T, 1> input,
                                       opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  for (int64_t i = at; i < count; i += opwright::grid_step()) output.data[i] = input.data[i] * 2;
}

template <typename T>
void grid_of_nothing(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                     opwright::Stream stream) {
  grid_of_nothing_kernel<T>
      <<<static_cast<unsigned>(input.numel() / 256), 256, 0, stream>>>(input, output);
  opwright::check_launch();
}
