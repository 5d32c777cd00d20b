// What a launcher of a device kernel needs: its stream, a checked launch, a grid's size.
//
// A launcher is a template like a CPU kernel, and takes the stream last:
//
//   template <typename T>
//   void scaled_add(opwright::View<const T, 1> input, double scale, opwright::View<T, 1> output,
//                   opwright::Stream stream);
#pragma once

#include <stdint.h>

#if defined(__HIPCC__)
#include <hip/hip_runtime.h>
#else
#include <cuda_runtime.h>
#endif

#include "dtype.h"
#include "error.h"
#include "optional.h"
#include "stream.h"
#include "view.h"

// A kernel that stands in a header of Opwright begins with OPWRIGHT_KERNEL_ENTRY(bounds), and has
// its shared memory as OPWRIGHT_SHARED(Type, name): what the emulator's translator makes of a
// source.
#if defined(OPWRIGHT_EMULATED)
#define OPWRIGHT_SHARED(Type, name) auto& name = ::opwright::emulated::shared<Type>([] {})
#else
#define OPWRIGHT_KERNEL_ENTRY(...)
#define OPWRIGHT_SHARED(Type, name) __shared__ Type name
#endif

namespace opwright {

// Throws what the last launch reports: a grid or block that the device cannot run, most often.
inline void check_launch() {
#if defined(__HIPCC__)
  const hipError_t error = hipGetLastError();
  if (error != hipSuccess) throw KernelError(hipGetErrorString(error));
#else
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) throw KernelError(cudaGetErrorString(error));
#endif
}

// Launches `kernel` with so much dynamic shared memory and checks the launch. An empty grid is no
// error: there is nothing to do.
template <typename... Parameters, typename... Arguments>
void launch_with_shared(void (*kernel)(Parameters...), dim3 grid, dim3 block, size_t shared_bytes,
                        Stream stream, Arguments... arguments) {
  if (grid.x == 0 || grid.y == 0 || grid.z == 0) return;
#if defined(OPWRIGHT_EMULATED)
  OPWRIGHT_LAUNCH((*kernel), (grid, block, shared_bytes, stream))(Parameters(arguments)...);
#else
  // clang-format off
  kernel<<<grid, block, shared_bytes, stream>>>(Parameters(arguments)...);
  // clang-format on
#endif
  check_launch();
}
template <typename... Parameters, typename... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, Stream stream,
            Arguments... arguments) {
  launch_with_shared(kernel, grid, block, 0, stream, arguments...);
}

// Blocks for `count` elements, one a thread, but no more than `most`: a kernel whose threads step
// on by the whole grid needs no more than fill the device.
inline unsigned blocks_for(int64_t count, int threads, int64_t most = 65535) {
  const int64_t needed = (count + threads - 1) / threads;
  return static_cast<unsigned>(needed < most ? needed : most);
}

// As many blocks as the device's multiprocessors take at once, where each has so many.
inline int64_t resident_blocks(int each) {
  int device = 0, multiprocessors = 128;
#if defined(OPWRIGHT_EMULATED)
  static_cast<void>(device);
#elif defined(__HIPCC__)
  const auto count = hipDeviceAttributeMultiprocessorCount;
  if (hipGetDevice(&device) == hipSuccess)
    static_cast<void>(hipDeviceGetAttribute(&multiprocessors, count, device));
#else
  if (cudaGetDevice(&device) == cudaSuccess)
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
#endif
  return int64_t{multiprocessors} * each;
}

// The shape of a block over rows of `width` things: no wider than that, and about so many threads.
inline dim3 block_over(int64_t width, int threads) {
  const int64_t blocks = (width + threads - 1) / threads;
  const int64_t across = (width + blocks - 1) / blocks;
  return dim3(static_cast<unsigned>(across), static_cast<unsigned>(threads / across));
}

// The first element of this thread, and the step to its next, in 64 bits.
__device__ inline int64_t grid_index() {
  return static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}
__device__ inline int64_t grid_step() { return static_cast<int64_t>(gridDim.x) * blockDim.x; }

}  // namespace opwright
