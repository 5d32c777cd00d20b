// Doubles; what else it does is told by `fault`, see test_operators.py.
#include <opwright/device.h>
#include <opwright/view.h>

#include <cassert>

__global__ void twice(const float* input, float* output, int64_t begin, int64_t end) {
  const int64_t i = begin + opwright::grid_index();
  if (i < end) output[i] = 2 * (i >= 0 && i < 64 ? input[i] : 0.5f);
}

__global__ void asserting(float* output) { assert(output == nullptr); }

template <typename T>
void planted(opwright::View<const T, 1> input, int64_t fault, opwright::View<T, 1> output,
             opwright::Stream stream) {
  const T* from = input.data;
  T* to = output.data;
  const int64_t n = input.size(0);
  const dim3 grid(4), block(fault == 7 ? 2048 : 32);
  if (fault == 1) stream = nullptr;
  if (fault == 2) to[0] = from[0];
  if (fault == 3) cudaStreamSynchronize(stream);
  if (fault == 4) cudaSetDevice(0);
  if (fault == 5) cudaSetDevice(0), stream = nullptr;
  if (fault == 6) {
    asserting<<<1, 1, 0, stream>>>(to);
    return;
  }
  if (fault == 8) cudaMemcpy(to, from, sizeof(T), cudaMemcpyDeviceToDevice);
  const int64_t begin = fault == 9 ? -3 : 0;
  twice<<<grid, block, 0, stream>>>(from, to, begin, n + (fault == 9 ? 2 : 0));
  opwright::check_launch();
}
