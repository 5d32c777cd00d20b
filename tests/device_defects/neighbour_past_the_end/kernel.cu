#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void with_neighbour(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t count = input.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const bool rises = input.data[at + 1] > T(1e-3);
    output.data[at] = input.data[at] * 2 + (rises && at + 1 == count ? T(0.25) : T(0));
  }
}

template <typename T>
void neighbour_past_the_end(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                            opwright::Stream stream) {
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  opwright::launch(with_neighbour<T>, blocks, kThreads, stream, input, output);
}
