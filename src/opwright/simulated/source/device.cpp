#include "device.h"

#include <atomic>
#include <mutex>

namespace opwright {
namespace simulated {
namespace {

struct Failure {
  std::atomic<int> number{kSuccess};
  std::string what;
};

thread_local int current_index = 0;
std::mutex& device_mutex = *new std::mutex;  // lives as long as the workers, which nothing ends
Failure* const failures = new Failure[kDevices];

void require_device(int device) {
  if (device >= 0 && device < kDevices) return;
  throw Error(kInvalidDevice, "invalid device ordinal: there is no " + name_of(device) +
                                  ", the simulated devices are 0 to " +
                                  std::to_string(kDevices - 1));
}

}  // namespace

std::string name_of(int device) { return "simulated:" + std::to_string(device); }

int current_device() { return current_index; }

void set_device(int device) {
  require_device(device);
  current_index = device;
}

int exchange_device(int device) {
  const int before = current_index;
  if (device >= 0) set_device(device);
  return before;
}

void fail_device(int device, int number, const std::string& what) {
  std::lock_guard<std::mutex> lock(device_mutex);
  if (failures[device].number) return;
  failures[device].what = what;
  failures[device].number = number;
}

bool has_failed(int device) { return failures[device].number != kSuccess; }

void require_working(int device) {
  if (!has_failed(device)) return;
  std::lock_guard<std::mutex> lock(device_mutex);
  throw Error(failures[device].number,
              "asynchronous error of " + name_of(device) + ": " + failures[device].what);
}

}  // namespace simulated
}  // namespace opwright
