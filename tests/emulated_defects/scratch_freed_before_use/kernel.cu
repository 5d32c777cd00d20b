#include <opwright/device.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void twice_kernel(opwright::View<const T, 1> input, T* scratch,
                             opwright::View<T, 1> output) {
  const int64_t at = opwright::grid_index();
  if (at >= input.numel()) return;
  scratch[at] = input.data[at];
  output.data[at] = scratch[at] * 2;
}

template <typename T>
void scratch_freed_before_use(opwright::View<const T, 1> input, opwright::View<T, 1> output,
                              opwright::Stream stream) {
  T* scratch = nullptr;
  if (cudaMalloc(&scratch, input.numel() * sizeof(T)) != cudaSuccess)
    throw opwright::KernelError("no memory");
  cudaFree(scratch);
  opwright::launch(twice_kernel<T>, opwright::blocks_for(output.numel(), 256), 256, stream, input,
                   scratch, output);
}
