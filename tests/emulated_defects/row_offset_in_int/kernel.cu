#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void row_offset_in_int_kernel(opwright::View<const T, 2> input,
                                         opwright::View<T, 2> output) {
  const int64_t row = blockIdx.x, columns = input.size(1);
  const int offset = static_cast<int>(row) * static_cast<int>(input.stride(0));
  for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
    output.data[row * columns + i] = input.data[offset + i] * 2;
}

template <typename T>
void row_offset_in_int(opwright::View<const T, 2> input, opwright::View<T, 2> output,
                       opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(row_offset_in_int_kernel<T>, opwright::blocks_for(input.size(0), 1), kThreads,
                   stream, input, output);
}
