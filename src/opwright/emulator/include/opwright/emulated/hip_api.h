// The runtime library in HIP's spelling.
#pragma once

#include <string.h>

#include "attributes.h"
#include "device_work.h"
#include "errors.h"
#include "host_memory.h"
#include "launch.h"

#define OPWRIGHT_API(name) hip##name
#define OPWRIGHT_API_VENDOR ::opwright::emulated::Vendor::hip
#define OPWRIGHT_API_DEVICE hipDeviceProp_t
#define opwright_set_function_attribute opwright_set_hip_attribute
#include "runtime_api.inc.h"
#undef OPWRIGHT_API
#undef OPWRIGHT_API_VENDOR
#undef OPWRIGHT_API_DEVICE
#undef opwright_set_function_attribute

inline hipError_t hipHostFree(void* memory) { return hipFree(memory); }

#define hipFuncSetAttribute(kernel, which, value) opwright_set_hip_attribute(#kernel, which, value)

#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(symbol) symbol
#define HIP_DYNAMIC_SHARED(type, name) \
  typedef type opwright_##name[];      \
  auto& name = ::opwright::emulated::dynamic_shared<opwright_##name>();

#define hipLaunchKernelGGL(kernel, grid, block, shared_bytes, stream, ...) \
  OPWRIGHT_LAUNCH((kernel), (grid, block, shared_bytes, stream))(__VA_ARGS__)

#define hipThreadIdx_x (threadIdx.x)
#define hipThreadIdx_y (threadIdx.y)
#define hipThreadIdx_z (threadIdx.z)
#define hipBlockIdx_x (blockIdx.x)
#define hipBlockIdx_y (blockIdx.y)
#define hipBlockIdx_z (blockIdx.z)
#define hipBlockDim_x (blockDim.x)
#define hipBlockDim_y (blockDim.y)
#define hipBlockDim_z (blockDim.z)
#define hipGridDim_x (gridDim.x)
#define hipGridDim_y (gridDim.y)
#define hipGridDim_z (gridDim.z)

enum hipDeviceAttribute_t {
  hipDeviceAttributeMaxSharedMemoryPerBlock = 74,
  hipDeviceAttributeMaxThreadsPerBlock = 56,
  hipDeviceAttributeMultiprocessorCount = 63,
  hipDeviceAttributeWarpSize = 87,
};

inline hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t attribute, int) {
  const hipDeviceProp_t device;
  switch (attribute) {
    case hipDeviceAttributeMaxSharedMemoryPerBlock:
      *value = int(device.sharedMemPerBlock);
      break;
    case hipDeviceAttributeMaxThreadsPerBlock:
      *value = device.maxThreadsPerBlock;
      break;
    case hipDeviceAttributeMultiprocessorCount:
      *value = device.multiProcessorCount;
      break;
    case hipDeviceAttributeWarpSize:
      *value = device.warpSize;
      break;
  }
  return hipSuccess;
}
