// What a generated binding asks of PyTorch for CUDA and HIP: the current stream, and the device's
// turn. Both live in libtorch_cuda (libtorch_hip), under one name, in every torch since 2.2.
#pragma once

#include <stdint.h>

#include "stream.h"

extern "C" {
struct CUDAGuardOpaque;
int32_t aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardOpaque** guard);
int32_t aoti_torch_delete_cuda_guard(CUDAGuardOpaque* guard);
int32_t aoti_torch_get_current_cuda_stream(int32_t device_index, void** stream);
}

namespace opwright {
namespace binding {

// Makes the tensor's device the current one until the end of the block.
class DeviceGuard {
 public:
  explicit DeviceGuard(const Tensor& tensor) {
    if (aoti_torch_create_cuda_guard(tensor.device_index(), &guard_))
      throw Refusal(Message().add("PyTorch failed when switching to a tensor's device"));
  }
  ~DeviceGuard() { aoti_torch_delete_cuda_guard(guard_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  CUDAGuardOpaque* guard_ = nullptr;
};

// The stream that PyTorch's own operators would use for the tensor now.
inline Stream current_stream(const Tensor& tensor) {
  void* stream = nullptr;
  if (aoti_torch_get_current_cuda_stream(tensor.device_index(), &stream))
    throw Refusal(Message().add("PyTorch failed when asked for the current stream"));
  return static_cast<Stream>(stream);
}

}  // namespace binding
}  // namespace opwright
