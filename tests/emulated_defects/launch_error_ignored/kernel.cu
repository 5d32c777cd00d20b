#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void launch_error_ignored_kernel(opwright::View<const T, 1> input,
                                            opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  if (at < count) output.data[at] = input.data[at] * 2;
}

template <typename T>
void launch_error_ignored(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                          opwright::Stream stream) {
  const unsigned threads = input.numel();
  launch_error_ignored_kernel<T><<<1, threads, 0, stream>>>(input, output);
}
