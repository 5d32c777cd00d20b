#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void local_table_overrun_kernel(opwright::View<const T, 1> input,
                                           opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index(), count = input.numel();
  const T table[4] = {2, 2, 2, 2};
  if (at < count) output.data[at] = input.data[at] * (at % 5 == 4 ? T(2) : T(1) * table[at % 5]);
  if (at < count && table[at % 5] > 3) output.data[at] = 0;
}

template <typename T>
void local_table_overrun(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                         opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(local_table_overrun_kernel<T>, opwright::blocks_for(output.numel(), kThreads),
                   kThreads, stream, input, output);
}
