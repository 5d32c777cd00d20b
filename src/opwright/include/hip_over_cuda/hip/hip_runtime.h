// HIP's kernel language over CUDA's; see hip_runtime_api.h.
#pragma once

#include "hip_runtime_api.h"

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];
#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  (kernel)<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

// HIP's shuffles and votes take no mask: all lanes of the wave take part.
template <typename T>
__device__ T __shfl(T value, int lane, int width = warpSize) {
  return __shfl_sync(0xffffffffu, value, lane, width);
}
template <typename T>
__device__ T __shfl_up(T value, unsigned by, int width = warpSize) {
  return __shfl_up_sync(0xffffffffu, value, by, width);
}
template <typename T>
__device__ T __shfl_down(T value, unsigned by, int width = warpSize) {
  return __shfl_down_sync(0xffffffffu, value, by, width);
}
template <typename T>
__device__ T __shfl_xor(T value, int mask, int width = warpSize) {
  return __shfl_xor_sync(0xffffffffu, value, mask, width);
}
#define __ballot(predicate) static_cast<unsigned long long>(__ballot_sync(0xffffffffu, predicate))
#define __any(predicate) __any_sync(0xffffffffu, predicate)
#define __all(predicate) __all_sync(0xffffffffu, predicate)
