// The memory of a device: a range of addresses that only threads which run its work may touch.
//
// Where the processor has protection keys, each thread has rights of its own, and only workers have
// that to a device's key. Elsewhere memory is open as long as some worker runs work of the device,
// and closed otherwise: the host is stopped only while the device is idle.
#pragma once

#include <cstddef>

namespace opwright {
namespace simulated {

enum class Protection { keys, windows };

Protection protection();

// How far this machine's memory goes for one device.
size_t capacity_bytes();

// Whole pages of a device's memory; null where there are none left. The content is undefined.
char* map_pages(int device, size_t size_bytes);
void unmap_pages(int device, char* begin, size_t size_bytes);

// The device whose memory that is; -1: of none.
int device_of(const void* address);

// Bits of devices.
using Devices = unsigned;
inline Devices only(int device) { return 1u << device; }

// Lets this thread touch the memory of `devices` as long as the object lives.
class Access {
 public:
  explicit Access(Devices devices);
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;

 private:
  const Devices devices_;
};

}  // namespace simulated
}  // namespace opwright
