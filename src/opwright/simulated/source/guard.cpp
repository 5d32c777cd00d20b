// Devices, streams and events, as PyTorch asks for them.
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <memory>

#include "device.h"
#include "event.h"
#include "memory.h"
#include "torch_device.h"

namespace opwright {
namespace simulated {

int index_of(c10::Device device) { return device.has_index() ? device.index() : current_device(); }

namespace {

c10::Device as_torch_device(int device) {
  return c10::Device(kType, static_cast<c10::DeviceIndex>(device));
}

// What PyTorch keeps of an event.
using Kept = std::shared_ptr<Event>;
Event& event_of(void* kept) { return **static_cast<Kept*>(kept); }

struct Guard final : c10::impl::DeviceGuardImplInterface {
  c10::DeviceType type() const override { return kType; }

  c10::Device exchangeDevice(c10::Device device) const override {
    return as_torch_device(exchange_device(device.index()));
  }
  c10::Device getDevice() const override { return as_torch_device(current_device()); }
  void setDevice(c10::Device device) const override { set_device(index_of(device)); }
  void uncheckedSetDevice(c10::Device device) const noexcept override {
    try {
      set_device(index_of(device));
    } catch (const Error&) {  // as it is said, unchecked
    }
  }
  c10::DeviceIndex deviceCount() const noexcept override { return kDevices; }

  c10::Stream getStream(c10::Device device) const override {
    return as_torch(current_stream(index_of(device)));
  }
  c10::Stream getDefaultStream(c10::Device device) const override {
    return as_torch(default_stream(index_of(device)));
  }
  c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override {
    return getNewStream(device, 0);
  }
  c10::Stream getNewStream(c10::Device device, int) const override {
    return as_torch(new_stream(index_of(device)));
  }
  c10::Stream exchangeStream(c10::Stream stream) const override {
    return as_torch(exchange_stream(stream_of(stream)));
  }
  void* getStreamNativeHandle(const c10::Stream stream) const override {
    return stream.id() ? stream_of(stream) : nullptr;
  }
  bool queryStream(const c10::Stream& stream) const override {
    return stream_of(stream)->is_done();
  }
  void synchronizeStream(const c10::Stream& stream) const override {
    stream_of(stream)->wait("waiting for a stream");
  }
  bool isStreamCapturing(const c10::Stream& stream) const override {
    return stream_of(stream)->is_capturing();
  }
  void synchronizeDevice(const c10::DeviceIndex device) const override {
    wait_for_device(device < 0 ? current_device() : device, "waiting for the device");
  }

  void record(void** event, const c10::Stream& stream, const c10::DeviceIndex,
              const c10::EventFlag) const override {
    if (!*event) *event = new Kept(std::make_shared<Event>());
    event_of(*event).record(stream_of(stream));
  }
  void block(void* event, const c10::Stream& stream) const override {
    if (event) event_of(event).block(stream_of(stream));
  }
  bool queryEvent(void* event) const override { return !event || event_of(event).is_done(); }
  void synchronizeEvent(void* event) const override {
    if (event) event_of(event).wait();
  }
  double elapsedTime(void* from, void* to, const c10::DeviceIndex) const override {
    return Event::elapsed_ms(event_of(from), event_of(to));
  }
  void destroyEvent(void* event, const c10::DeviceIndex) const noexcept override {
    delete static_cast<Kept*>(event);
  }
  void recordDataPtrOnStream(const c10::DataPtr& memory, const c10::Stream& stream) const override {
    record_stream(memory.get(), stream_of(stream));
  }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

}  // namespace
}  // namespace simulated
}  // namespace opwright
