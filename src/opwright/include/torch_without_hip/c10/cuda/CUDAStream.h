// Stands in for torch's own, which asks for its build for CUDA or HIP. Nothing that includes it
// ever runs.
#pragma once
#include <c10/core/Device.h>
#include <hip/hip_runtime_api.h>

namespace c10::cuda {

class CUDAStream {
 public:
  hipStream_t stream() const { return nullptr; }
  operator hipStream_t() const { return nullptr; }
};

inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return {}; }

}  // namespace c10::cuda

namespace at::cuda {
using c10::cuda::CUDAStream;
using c10::cuda::getCurrentCUDAStream;
}  // namespace at::cuda
