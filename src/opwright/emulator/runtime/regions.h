// Named stretches of global memory, such as tensors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "traffic.h"

namespace opwright {
namespace emulated {

struct Region {
  uintptr_t begin, end;
  std::string name;
  Traffic traffic;  // of the launch that runs
};

class Regions {
 public:
  void add(uintptr_t begin, size_t size_bytes, const std::string& name);
  void remove(uintptr_t begin);
  void clear();
  bool empty() const { return regions_.empty(); }

  // The one that holds the address, or null.
  Region* holding(uintptr_t address);
  // "4 bytes after the end of 'x'", or "" with no region near.
  std::string near(uintptr_t address) const;

  std::map<std::string, Traffic> take_traffic();

 private:
  std::map<uintptr_t, Region> regions_;  // by their ends
  Region* last_ = nullptr;
};

Regions& regions();

}  // namespace emulated
}  // namespace opwright
