#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void hash_overflows_kernel(opwright::View<const T, 1> input,
                                      opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  if (at >= count) return;
  const int hash = static_cast<int>(at) * 1103515245 + 12345;
  output.data[at] = input.data[at] + T(hash & 15);
}

template <typename T>
void hash_overflows(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                    opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(hash_overflows_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
