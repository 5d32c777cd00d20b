// The device kernel, in plain CUDA: a thread takes every so-many-th element. The stream that
// PyTorch works on comes last. Targets that this Opwright builds are listed by `opwright doctor`.
#include <cuda_runtime.h>
#include <opwright/kernel.h>

template <typename T>
__global__ void my_op_kernel(  // on the device
    opwright::View<const T, 2> input, opwright::View<const T, 1> bias, float scale,
    opwright::View<T, 2> output) {
  const int64_t hidden = input.size(1);
  const int64_t first = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const int64_t step = gridDim.x * static_cast<int64_t>(blockDim.x);
  for (int64_t at = first; at < output.numel(); at += step) {
    const int64_t row = at / hidden;
    const int64_t i = at % hidden;
    const float x = opwright::widen(input(row, i));
    output(row, i) = opwright::narrow<T>(x * scale + opwright::widen(bias(i)));
  }
}

template <typename T>
void my_op(  // on the host
    opwright::View<const T, 2> input, opwright::View<const T, 1> bias, double scale,
    opwright::View<T, 2> output, cudaStream_t stream) {
  const int64_t count = output.numel();
  if (count == 0) return;  // a grid of no blocks is an error
  constexpr int kThreads = 256;
  const int64_t needed = (count + kThreads - 1) / kThreads;
  const int blocks = static_cast<int>(needed < 4096 ? needed : 4096);
  my_op_kernel<T><<<blocks, kThreads, 0, stream>>>(input, bias, static_cast<float>(scale), output);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) throw opwright::KernelError(cudaGetErrorString(error));
}
