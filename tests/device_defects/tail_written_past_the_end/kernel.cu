#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void all_of_the_block(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  output.data[at] = at < count ? input.data[at] * 2 : T(0);
}

template <typename T>
void tail_written_past_the_end(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                               opwright::Stream stream) {
  constexpr int kThreads = 256;
  const unsigned blocks = opwright::blocks_for(output.numel(), kThreads);
  opwright::launch(all_of_the_block<T>, blocks, kThreads, stream, input, output);
}
