// Memory that the host's code allocates for the device, and what the host asks of a device besides.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "errors.h"
#include "opwright/emulated/attributes.h"
#include "opwright/emulated/device_work.h"
#include "opwright/emulated/host_memory.h"
#include "regions.h"
#include "simulated.h"

namespace opwright {
namespace emulated {
namespace {

constexpr size_t kAlignment = 256;
constexpr int kUnwrittenByte = 0xff;
constexpr int kOutOfMemory = 2;
constexpr int kInvalidDevice = 101;
constexpr size_t kMost = size_t{1} << 40;

std::mutex memory_mutex;

}  // namespace

int allocate(void** memory, size_t size_bytes) {
  *memory = nullptr;
  if (!size_bytes) return kSuccess;
  if (simulated()) return keep_error(simulated()->allocate(memory, size_bytes));
  if (size_bytes > kMost || posix_memalign(memory, kAlignment, size_bytes)) {
    return keep_error(kOutOfMemory);
  }
  memset(*memory, kUnwrittenByte, size_bytes);
  std::lock_guard<std::mutex> lock(memory_mutex);
  static unsigned count = 0;
  regions().add_allocation(reinterpret_cast<uintptr_t>(*memory), size_bytes,
                           "allocation " + std::to_string(++count));
  return kSuccess;
}

int release(void* memory) {
  if (!memory) return kSuccess;
  if (simulated()) return keep_error(simulated()->release(memory));
  std::lock_guard<std::mutex> lock(memory_mutex);
  regions().remove(reinterpret_cast<uintptr_t>(memory));
  free(memory);
  return kSuccess;
}

int count_devices(int* count) {
  *count = simulated() ? simulated()->device_count() : 1;
  return kSuccess;
}

int ask_device(int* device) {
  *device = simulated() ? simulated()->current_device() : 0;
  return kSuccess;
}

int choose_device(int device) {
  if (simulated()) return keep_error(simulated()->set_device(device));
  return device == 0 ? kSuccess : keep_error(kInvalidDevice);
}

int make_stream(Stream* stream) {
  if (simulated()) return keep_error(simulated()->new_stream(stream));
  *stream = new_stream();
  return kSuccess;
}

int query_stream(Stream stream) {
  return simulated() ? simulated()->stream_is_done(stream) : kSuccess;
}

// What waits for the device learns of errors in kernels, not of launches that were refused.
int wait_for_stream(Stream stream) {
  return simulated() ? keep_error(simulated()->synchronize_stream(stream)) : lasting_error();
}

int wait_for_device() {
  return simulated() ? keep_error(simulated()->synchronize_device()) : lasting_error();
}

int copy(void* to, const void* from, size_t size_bytes, Stream stream, bool waits) {
  if (simulated()) return keep_error(simulated()->copy(to, from, size_bytes, stream, waits));
  memmove(to, from, size_bytes);
  return kSuccess;
}

int fill(void* to, int value, size_t size_bytes, Stream stream) {
  if (simulated()) return keep_error(simulated()->fill(to, value, size_bytes, stream));
  memset(to, value, size_bytes);
  return kSuccess;
}

}  // namespace emulated
}  // namespace opwright
