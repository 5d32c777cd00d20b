// The devices, which of them is a thread's current one, and what has gone wrong on each.
#pragma once

#include <c10/util/Exception.h>

#include <string>

namespace opwright {
namespace simulated {

constexpr int kDevices = 2;

// Numbered as CUDA and HIP number them.
constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidDevice = 101;
constexpr int kInvalidHandle = 400;
constexpr int kNotReady = 600;
constexpr int kIllegalAddress = 700;
constexpr int kLaunchOutOfResources = 701;
constexpr int kAssert = 710;
constexpr int kLaunchFailure = 719;
constexpr int kCaptureUnsupported = 900;
constexpr int kCaptureInvalidated = 901;
constexpr int kCaptureUnjoined = 904;
constexpr int kCaptureIsolation = 905;
constexpr int kCapturedEvent = 907;

// Python sees torch.AcceleratorError, as for errors of other devices.
class Error : public c10::AcceleratorError {
 public:
  Error(int number, const std::string& what)
      : c10::AcceleratorError({__func__, __FILE__, __LINE__}, number, what), number(number) {}
  const int number;
};

// "simulated:1".
std::string name_of(int device);

int current_device();
void set_device(int device);  // throws `Error` where there is none such
int exchange_device(int device);

// A kernel failed: from then on the device does nothing any more. The first failure is kept.
void fail_device(int device, int number, const std::string& what);
bool has_failed(int device);
// Throws what the device failed with.
void require_working(int device);

}  // namespace simulated
}  // namespace opwright
