// Memory that the host's code allocates for the device.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "errors.h"
#include "opwright/emulated/host_memory.h"
#include "regions.h"

namespace opwright {
namespace emulated {
namespace {

constexpr size_t kAlignment = 256;
constexpr int kUnwritten = 0xff;
constexpr int kOutOfMemory = 2;
constexpr size_t kMost = size_t{1} << 40;

std::mutex mutex;

}  // namespace

int allocate(void** memory, size_t size_bytes) {
  *memory = nullptr;
  if (!size_bytes) return kSuccess;
  if (size_bytes > kMost || posix_memalign(memory, kAlignment, size_bytes)) {
    return keep_error(kOutOfMemory);
  }
  memset(*memory, kUnwritten, size_bytes);
  std::lock_guard<std::mutex> lock(mutex);
  static unsigned count = 0;
  regions().add_allocation(reinterpret_cast<uintptr_t>(*memory), size_bytes,
                           "allocation " + std::to_string(++count));
  return kSuccess;
}

int release(void* memory) {
  if (!memory) return kSuccess;
  std::lock_guard<std::mutex> lock(mutex);
  regions().remove(reinterpret_cast<uintptr_t>(memory));
  free(memory);
  return kSuccess;
}

}  // namespace emulated
}  // namespace opwright
