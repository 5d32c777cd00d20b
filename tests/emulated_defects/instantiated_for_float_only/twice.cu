#include <opwright/device.h>

template <typename T>
__global__ void twice_kernel(const T* input, T* output, int64_t count) {
  const int64_t at = opwright::grid_index();
  if (at < count) output[at] = input[at] * 2;
}

template <typename T>
void launch_twice(const T* input, T* output, int64_t count, opwright::Stream stream) {
  opwright::launch(twice_kernel<T>, opwright::blocks_for(count, 256), 256, stream, input, output,
                   count);
}

template void launch_twice<float>(const float*, float*, int64_t, opwright::Stream);
