// The runtime library in CUDA's spelling.
#pragma once

#include <string.h>

#include "attributes.h"
#include "device_work.h"
#include "errors.h"
#include "host_memory.h"
#include "launch.h"

#define OPWRIGHT_API(name) cuda##name
#define OPWRIGHT_API_VENDOR ::opwright::emulated::Vendor::cuda
#define OPWRIGHT_API_DEVICE cudaDeviceProp
#define opwright_set_function_attribute opwright_set_cuda_attribute
#include "runtime_api.inc.h"
#undef OPWRIGHT_API
#undef OPWRIGHT_API_VENDOR
#undef OPWRIGHT_API_DEVICE
#undef opwright_set_function_attribute

typedef cudaError_t cudaError;

// The kernel is known by how it is written, which is how launches know it, too.
#define cudaFuncSetAttribute(kernel, which, value) \
  opwright_set_cuda_attribute(#kernel, which, value)

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
};

inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  const cudaDeviceProp device;
  switch (attribute) {
    case cudaDevAttrMaxThreadsPerBlock:
      *value = device.maxThreadsPerBlock;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = int(device.sharedMemPerBlock);
      break;
    case cudaDevAttrWarpSize:
      *value = device.warpSize;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = device.multiProcessorCount;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = device.maxThreadsPerMultiProcessor;
      break;
    case cudaDevAttrComputeCapabilityMajor:
      *value = device.major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = device.minor;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = int(device.sharedMemPerBlockOptin);
      break;
  }
  return cudaSuccess;
}
