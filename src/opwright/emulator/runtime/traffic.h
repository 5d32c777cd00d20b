// Memory traffic, as the compiler's instrumentation tells it.
#pragma once

#include <cstdint>

namespace opwright {
namespace emulated {

// Bytes that a kernel accesses in one allocation. `touched`: each byte once a launch.
struct Traffic {
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  uint64_t touched_read_bytes = 0;
  uint64_t touched_written_bytes = 0;
};

}  // namespace emulated
}  // namespace opwright
