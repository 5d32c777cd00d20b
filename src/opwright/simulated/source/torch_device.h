// The device as PyTorch names it, and tensors on it as the device itself sees them.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include "stream.h"

namespace opwright {
namespace simulated {

constexpr c10::DeviceType kType = c10::DeviceType::PrivateUse1;

c10::DeviceAllocator& allocator();

// -1 is the current device.
int index_of(c10::Device device);

inline Stream* stream_of(const c10::Stream& stream) {
  return stream_of(stream.device_index(), stream.id());
}

inline c10::Stream as_torch(const Stream* stream) {
  return c10::Stream(c10::Stream::UNSAFE,
                     c10::Device(kType, static_cast<c10::DeviceIndex>(stream->device)), stream->id);
}

// The stream that PyTorch's own operators use for a tensor now.
inline Stream* current_stream_of(const at::Tensor& tensor) {
  return current_stream(tensor.device().index());
}

// The memory of a tensor as one of the CPU, for kernels that a worker runs. It owns nothing: memory
// that is given back is used again after what is on its stream, as on a device.
at::Tensor as_cpu(const at::Tensor& tensor);

// Memory of another size for a storage or a tensor. What was there is kept, as far as it fits.
void resize_storage(const c10::Storage& storage, size_t size_bytes);
void resize_tensor(const at::Tensor& tensor, c10::IntArrayRef sizes);

}  // namespace simulated
}  // namespace opwright
