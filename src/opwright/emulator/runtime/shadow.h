// What is known of each piece of memory: who wrote it last, who read it since.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "access.h"

namespace opwright {
namespace emulated {

struct Access {
  uint32_t block;     // its number in the grid
  uint32_t barriers;  // that the block had passed
  uint32_t clock;     // of the thread: how often it had synchronised with its wave
  int32_t pc;         // distance from an anchor in this library
  uint16_t thread;    // its rank
  AccessKind kind;
};

struct Cell {
  Access write;
  Access atomic;    // the last atomic access by another thread than the write's
  Access reads[2];  // of different threads, since the write
  bool read, written;
};

// Cells of 4 bytes, or fewer where something smaller or askew is accessed.
class ShadowPage {
 public:
  static constexpr size_t kBytes = 4096;

  // Everything that is older than `generation` is forgotten.
  void begin(uint64_t generation);
  void refine(int shift);
  int shift() const { return shift_; }
  Cell& cell(size_t offset) { return cells_[offset >> shift_]; }

 private:
  uint64_t generation_ = 0;
  int shift_ = 2;
  std::vector<Cell> cells_;
};

class Shadow {
 public:
  void forget() { ++generation_; }
  ShadowPage& page(uintptr_t address);

 private:
  uint64_t generation_ = 1;
  uintptr_t last_number_ = ~uintptr_t{0};
  ShadowPage* last_ = nullptr;
  std::unordered_map<uintptr_t, std::unique_ptr<ShadowPage>> pages_;
};

}  // namespace emulated
}  // namespace opwright
