// The driver's functions, by which libraries of kernels use the device.
#include <opwright/simulated_driver.h>

#include <cstring>
#include <memory>
#include <string>

#include "capture.h"
#include "device.h"
#include "memory.h"
#include "stream.h"

namespace opwright {
namespace simulated {
namespace {

template <typename Do>
int number_of(Do&& act) {
  try {
    act();
    return kSuccess;
  } catch (const Error& error) {
    return error.number;
  }
}

opwright_emulated_stream* handle_of(Stream* stream) {
  return stream->id == 0 ? nullptr : reinterpret_cast<opwright_emulated_stream*>(stream);
}

// As with CUDA, work goes to streams of the current device only.
Stream* stream_behind(opwright_emulated_stream* handle) {
  const int device = current_device();
  if (!handle) return default_stream(device);
  auto* wanted = reinterpret_cast<Stream*>(handle);
  for (Stream* stream : streams_of(device)) {
    if (stream == wanted) return stream;
  }
  throw Error(kInvalidHandle, "the stream is not one of " + name_of(device));
}

Devices devices_of(const void* a, const void* b) {
  Devices devices = 0;
  for (const void* address : {a, b}) {
    if (const int device = device_of(address); device >= 0) devices |= only(device);
  }
  return devices;
}

std::string name_of_copy(const void* to, const void* from) {
  const char* const from_name = device_of(from) >= 0 ? "device" : "host";
  const char* const to_name = device_of(to) >= 0 ? "device" : "host";
  return std::string("copy from ") + from_name + " to " + to_name;
}

const char* text_of(int number) {
  switch (number) {
    case kLaunchOutOfResources:
      return "too many resources requested for launch";
    case kAssert:
      return "device-side assert triggered";
    default:
      return "unspecified launch failure";
  }
}

int get_device_count() { return kDevices; }

int set_current_device(int device) {
  return number_of([&] { set_device(device); });
}

opwright_emulated_stream* get_current_stream(int device) {
  return handle_of(current_stream(device));
}

int make_stream(opwright_emulated_stream** stream) {
  return number_of([&] { *stream = handle_of(new_stream(current_device())); });
}

int enqueue(opwright_emulated_stream* handle, const char* name, int (*run)(void*),
            void (*release)(void*), void* context) {
  const std::shared_ptr<void> kept(context, release);
  return number_of([&] {
    Stream* stream = stream_behind(handle);
    const auto task = [kept, run] {
      const int number = run(kept.get());
      if (number) throw Error(number, name_of_work() + ": " + text_of(number));
    };
    stream->push({name, task, only(stream->device)});
  });
}

void name_work(const char* name) { simulated::name_work(name); }

int synchronize_stream(opwright_emulated_stream* stream) {
  return number_of([&] { stream_behind(stream)->wait("waiting for a stream"); });
}

int synchronize_device() {
  return number_of([] { wait_for_device(current_device(), "waiting for the device"); });
}

int stream_is_done(opwright_emulated_stream* stream) {
  int done = 0;
  const int number = number_of([&] { done = stream_behind(stream)->is_done(); });
  return number ? number : done ? kSuccess : kNotReady;
}

int allocate_memory(void** memory, size_t size_bytes) {
  return number_of([&] {
    forbid_during_capture("allocating memory from the device itself");
    *memory = allocate(default_stream(current_device()), size_bytes);
    default_stream(current_device())->wait_quietly();
  });
}

int release_memory(void* memory) {
  return number_of([&] {
    if (!memory) return;
    const int device = device_of(memory);
    if (device < 0) throw Error(kInvalidValue, "not memory of a device");
    wait_for_device(device, "giving memory back to the device itself");
    release(memory);
  });
}

int copy(void* to, const void* from, size_t size_bytes, opwright_emulated_stream* handle,
         int waits) {
  return number_of([&] {
    Stream* stream = stream_behind(handle);
    if (waits) forbid_during_capture("a copy that the host waits for");
    const auto task = [=] { memmove(to, from, size_bytes); };
    stream->push({name_of_copy(to, from), task, devices_of(to, from)});
    if (waits) stream->wait("a copy that the host waits for");
  });
}

int fill(void* to, int value, size_t size_bytes, opwright_emulated_stream* handle) {
  return number_of([&] {
    const auto task = [=] { memset(to, value, size_bytes); };
    stream_behind(handle)->push({"fill", task, devices_of(to, to)});
  });
}

}  // namespace
}  // namespace simulated
}  // namespace opwright

extern "C" __attribute__((visibility("default"))) const opwright_simulated_driver_table*
opwright_simulated_driver() {
  using namespace opwright::simulated;
  static const opwright_simulated_driver_table table = {
      get_device_count,
      current_device,
      set_current_device,
      get_current_stream,
      make_stream,
      enqueue,
      name_work,
      synchronize_stream,
      synchronize_device,
      stream_is_done,
      allocate_memory,
      release_memory,
      copy,
      fill,
  };
  return &table;
}
