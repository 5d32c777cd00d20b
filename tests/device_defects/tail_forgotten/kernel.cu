#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void twice(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index();
  output.data[at] = input.data[at] * 2;
}

template <typename T>
void tail_forgotten(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                    opwright::Stream stream) {
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  if (output.numel() < kThreads) return;
  opwright::launch(twice<T>, output.numel() / kThreads, kThreads, stream, input, output);
}
