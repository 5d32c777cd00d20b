// What the rest of PyTorch asks of a device that it knows by PrivateUse1.
#include <ATen/detail/PrivateUse1HooksInterface.h>

#include <algorithm>
#include <cstring>

#include "device.h"
#include "torch_device.h"

namespace opwright {
namespace simulated {

void resize_storage(const c10::Storage& storage, size_t size_bytes) {
  const int device = storage.device().index();
  const int before = exchange_device(device);
  c10::DataPtr memory = allocator().allocate(size_bytes);
  exchange_device(before);
  void* const to = memory.get();
  const void* const from = storage.data();
  if (const size_t size = std::min(size_bytes, storage.nbytes())) {
    const auto task = [=] { memcpy(to, from, size); };
    current_stream(device)->push({"copy from device to device", task, only(device)});
  }
  storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(memory));
  storage.unsafeGetStorageImpl()->set_nbytes(size_bytes);
}

namespace {

struct Hooks final : at::PrivateUse1HooksInterface {
  bool isBuilt() const override { return true; }
  bool isAvailable() const override { return true; }
  bool hasPrimaryContext(c10::DeviceIndex) const override { return true; }
  c10::DeviceIndex deviceCount() const override { return kDevices; }
  void setCurrentDevice(c10::DeviceIndex device) const override { set_device(device); }
  c10::DeviceIndex getCurrentDevice() const override {
    return static_cast<c10::DeviceIndex>(current_device());
  }
  c10::DeviceIndex exchangeDevice(c10::DeviceIndex device) const override {
    return static_cast<c10::DeviceIndex>(exchange_device(device));
  }
  c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex device) const override {
    return exchangeDevice(device);
  }
  c10::Device getDeviceFromPtr(void* memory) const override {
    const int device = device_of(memory);
    TORCH_CHECK(device >= 0, "the pointer is not one to memory of a simulated device");
    return c10::Device(kType, static_cast<c10::DeviceIndex>(device));
  }
  bool isPinnedPtr(const void*) const override { return false; }

  void resizePrivateUse1Bytes(const c10::Storage& storage, size_t size_bytes) const override {
    resize_storage(storage, size_bytes);
  }
};

}  // namespace
}  // namespace simulated
}  // namespace opwright

// To be called once, before the device's first tensor.
extern "C" __attribute__((visibility("default"))) void opwright_simulated_register_hooks() {
  at::RegisterPrivateUse1HooksInterface(new opwright::simulated::Hooks);
}
