// The shared memory of one block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "opwright/emulated/shared.h"

namespace opwright {
namespace emulated {

class SharedMemory {
 public:
  SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory();

  // Forgets every object. Their memory gets a pattern that is NaN as any floating-point type.
  void begin_block(size_t dynamic_bytes);

  void* const* table() const { return table_.data(); }
  void* place(int number, size_t size_bytes, size_t alignment);
  void* dynamic() const { return memory_ + kRedZone; }
  size_t static_bytes() const { return static_bytes_; }
  bool owns(const void* address) const { return address >= memory_ && address < memory_ + kBytes; }
  // Whether all of it lies within one object.
  bool holds(const void* address, size_t size_bytes) const;
  // Offset in the whole, for shadows of it.
  size_t offset(const void* address) const {
    return static_cast<size_t>(static_cast<const char*>(address) - memory_);
  }

  static constexpr size_t kBytes = size_t{512} << 10;

 private:
  struct Object {
    size_t begin, end;
  };

  static constexpr size_t kRedZone = 64;

  void add(size_t begin, size_t end);

  char* memory_;
  size_t used_ = 0;
  size_t dynamic_bytes_ = 0;
  size_t static_bytes_ = 0;
  std::vector<void*> table_;
  std::vector<int> placed_;
  std::vector<Object> objects_;
};

// How many slots of shared memory this process has numbered.
int shared_slots();

}  // namespace emulated
}  // namespace opwright
