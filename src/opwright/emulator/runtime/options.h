// What a run of the emulator can vary.
#pragma once

#include <cstdint>
#include <string>

namespace opwright {
namespace emulated {

enum class Order { forward, reverse, random };

struct Options {
  Order block_order = Order::forward;
  Order thread_order = Order::forward;
  uint64_t seed = 0;
  int host_threads = 0;          // 0: as many as this process may run on
  const void* stream = nullptr;  // the one that work is expected on
  bool any_stream = true;
  bool simulated = false;  // work is put on streams of the simulated device
  std::string report;      // a file to which findings are appended as they are made
};

// Read from OPWRIGHT_EMULATED at first, such as "order=random:7,threads=1".
Options& options();

// False: there is no such option, or no such value of it.
bool set_option(const std::string& name, const std::string& value);

}  // namespace emulated
}  // namespace opwright
