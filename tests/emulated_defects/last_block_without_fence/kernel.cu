#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void total_kernel(opwright::View<const T, 1> input, T* partial, unsigned* done,
                             opwright::View<T, 1> output) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    T sum = 0;
    const int64_t first = blockIdx.x * int64_t(64);
    for (int64_t i = first; i < first + 64 && i < input.numel(); ++i) sum += input.data[i];
    partial[blockIdx.x] = sum;
    last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x != 0) return;
  T total = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) total += partial[i];
  output.data[0] = total;
}

template <typename T>
void last_block_without_fence(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                              opwright::Stream stream) {
  const unsigned blocks = opwright::blocks_for(input.numel(), 64);
  T* partial = nullptr;
  unsigned* done = nullptr;
  cudaMalloc(&partial, blocks * sizeof(T));
  cudaMalloc(&done, sizeof(unsigned));
  cudaMemsetAsync(done, 0, sizeof(unsigned), stream);
  opwright::launch(total_kernel<T>, blocks, 64, stream, input, partial, done, output);
  cudaFree(partial);
  cudaFree(done);
}
