#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void launched_on_stream_0_kernel(opwright::View<const T, 1> input,
                                            opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  if (at < count) output.data[at] = input.data[at] * 2;
}

template <typename T>
void launched_on_stream_0(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                          opwright::Stream stream) {
  const unsigned blocks = opwright::blocks_for(output.numel(), 256);
  launched_on_stream_0_kernel<T><<<blocks, 256>>>(input, output);
  opwright::check_launch();
}
