// What torch has for extensions of a device, as far as there is any of it without one: streams,
// which are the emulator's, and guards, which have nothing to guard. Tensors are on the CPU.
#pragma once

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>

#if defined(OPWRIGHT_EMULATED_HIP)
#include <hip/hip_runtime.h>
#define OPWRIGHT_TORCH_API(name) hip##name
#else
#include <cuda_runtime.h>
#define OPWRIGHT_TORCH_API(name) cuda##name
#endif

#include <opwright/emulated/current_stream.h>

namespace c10 {
namespace cuda __attribute__((visibility("hidden"))) {

  class CUDAStream {
   public:
    explicit CUDAStream(::opwright::emulated::Stream stream) : stream_(stream) {}
    ::opwright::emulated::Stream stream() const { return stream_; }
    operator ::opwright::emulated::Stream() const { return stream_; }
    DeviceIndex device_index() const { return 0; }
    Device device() const { return Device(DeviceType::CPU); }
    bool query() const { return true; }
    void synchronize() const {}

   private:
    ::opwright::emulated::Stream stream_;
  };

  inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) {
    return CUDAStream(::opwright::emulated::current_stream());
  }
  inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(nullptr); }

  inline DeviceIndex current_device() { return 0; }
  inline DeviceIndex device_count() { return 1; }
  inline void device_synchronize() {}

  struct CUDAGuard {
    explicit CUDAGuard(Device) {}
    explicit CUDAGuard(DeviceIndex) {}
  };
  struct OptionalCUDAGuard {
    explicit OptionalCUDAGuard(std::optional<Device> = std::nullopt) {}
  };
  struct CUDAStreamGuard {
    explicit CUDAStreamGuard(const CUDAStream&) {}
  };

}  // namespace cuda

namespace hip {
using HIPStream = cuda::CUDAStream;
using HIPStreamMasqueradingAsCUDA = cuda::CUDAStream;
using HIPGuard = cuda::CUDAGuard;
using HIPGuardMasqueradingAsCUDA = cuda::CUDAGuard;
using OptionalHIPGuard = cuda::OptionalCUDAGuard;
using OptionalHIPGuardMasqueradingAsCUDA = cuda::OptionalCUDAGuard;
inline HIPStream getCurrentHIPStream(DeviceIndex = -1) { return cuda::getCurrentCUDAStream(); }
inline HIPStream getCurrentHIPStreamMasqueradingAsCUDA(DeviceIndex = -1) {
  return cuda::getCurrentCUDAStream();
}
inline HIPStream getDefaultHIPStream(DeviceIndex = -1) { return cuda::getDefaultCUDAStream(); }
using cuda::current_device;
using cuda::device_count;
}  // namespace hip
}  // namespace c10

namespace at {
namespace cuda __attribute__((visibility("hidden"))) {
  using c10::cuda::CUDAGuard;
  using c10::cuda::CUDAStream;
  using c10::cuda::CUDAStreamGuard;
  using c10::cuda::current_device;
  using c10::cuda::getCurrentCUDAStream;
  using c10::cuda::getDefaultCUDAStream;
  using c10::cuda::OptionalCUDAGuard;
  inline bool is_available() { return true; }
  inline int warp_size() { return OPWRIGHT_WAVE_SIZE; }
}  // namespace cuda
namespace hip {
using namespace c10::hip;
using at::cuda::is_available;
using at::cuda::warp_size;
}  // namespace hip
}  // namespace at

#define C10_CUDA_CHECK(expression)                                                     \
  do {                                                                                 \
    const auto opwright_error = expression;                                            \
    TORCH_CHECK(opwright_error == OPWRIGHT_TORCH_API(Success),                         \
                "device error: ", OPWRIGHT_TORCH_API(GetErrorString)(opwright_error)); \
  } while (0)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(OPWRIGHT_TORCH_API(GetLastError)())
#define AT_CUDA_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_HIP_CHECK(expression) C10_CUDA_CHECK(expression)
#define C10_HIP_KERNEL_LAUNCH_CHECK() C10_CUDA_KERNEL_LAUNCH_CHECK()
