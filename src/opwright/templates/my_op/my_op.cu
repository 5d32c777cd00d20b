// The device kernel, for CUDA, HIP and the emulator: a thread takes every so-many-th element. The
// stream that PyTorch works on comes last.
#include <opwright/kernel.h>

template <typename T>
__global__ void my_op_kernel(  // on the device
    opwright::View<const T, 2> input, opwright::View<const T, 1> bias, float scale,
    opwright::View<T, 2> output) {
  const int64_t hidden = input.size(1), count = output.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step()) {
    const int64_t row = at / hidden;
    const int64_t i = at % hidden;
    const float x = opwright::widen(input(row, i));
    output(row, i) = opwright::narrow<T>(x * scale + opwright::widen(bias(i)));
  }
}

template <typename T>
void my_op(  // on the host
    opwright::View<const T, 2> input, opwright::View<const T, 1> bias, double scale,
    opwright::View<T, 2> output, opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(my_op_kernel<T>, opwright::blocks_for(output.numel(), kThreads), kThreads,
                   stream, input, bias, static_cast<float>(scale), output);
}
