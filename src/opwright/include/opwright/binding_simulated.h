// What a generated binding does for a launcher whose kernels run on the simulated device.
#pragma once

#include <dlfcn.h>
#include <opwright/emulated/control.h>

#include "simulated_driver.h"
#include "stream.h"

namespace opwright {
namespace binding {

inline const opwright_simulated_driver_table& driver() {
  static const opwright_simulated_driver_table* const found = [] {
    const auto find = reinterpret_cast<opwright_simulated_driver_function>(
        dlsym(RTLD_DEFAULT, "opwright_simulated_driver"));
    if (find) opwright_emulated_set("device", "simulated");
    return find ? find() : nullptr;
  }();
  if (!found) throw Refusal(Message().add("the simulated device is not loaded in this process"));
  return *found;
}

// Makes the tensor's device the current one until the end of the block.
class DeviceGuard {
 public:
  explicit DeviceGuard(const Tensor& tensor) : before_(driver().current_device()) {
    driver().set_device(tensor.device_index());
  }
  ~DeviceGuard() { driver().set_device(before_); }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;

 private:
  const int before_;
};

// The stream that PyTorch's own operators would use for the tensor now.
inline Stream current_stream(const Tensor& tensor) {
  return driver().current_stream(tensor.device_index());
}

}  // namespace binding
}  // namespace opwright
