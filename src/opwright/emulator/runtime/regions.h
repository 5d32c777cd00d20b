// Named stretches of global memory, such as tensors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "traffic.h"

namespace opwright {
namespace emulated {

struct Region {
  uintptr_t begin, end;
  std::string name;
  bool allocated;   // by the source itself
  int calls;        // under way that have named it
  Traffic traffic;  // of the launch that runs
};

// Any host thread may name regions, also while a kernel runs.
class Regions {
 public:
  void add(uintptr_t begin, size_t size_bytes, const std::string& name);
  // Memory that the source allocates itself; others stay allowed.
  void add_allocation(uintptr_t begin, size_t size_bytes, const std::string& name);
  void remove(uintptr_t begin);                    // an allocation
  void leave(uintptr_t begin, size_t size_bytes);  // takes one add back
  void clear();                                    // but for allocations
  // Whether kernels may access nothing else.
  bool exclusive() const { return exclusive_; }

  // The one that holds the address, or null.
  Region* holding(uintptr_t address);
  // "4 bytes after the end of 'x'", or "" with no region near.
  std::string near(uintptr_t address) const;

  std::map<std::string, Traffic> take_traffic();

 private:
  mutable std::mutex mutex_;
  std::map<uintptr_t, Region> regions_;  // by their ends
  Region* last_ = nullptr;
  std::atomic<bool> exclusive_ = false;
};

Regions& regions();

}  // namespace emulated
}  // namespace opwright
