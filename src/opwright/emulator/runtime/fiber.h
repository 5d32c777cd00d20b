// Stacks of their own for threads that wait, and the switch between them, without a system call.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace opwright {
namespace emulated {

struct Fiber {
  void* stack_pointer = nullptr;
  char* bottom = nullptr;  // lowest address of the stack; null: the host thread's own
  size_t size = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
};

// Leaves `from`, goes on in `to`. `dies`: nobody comes back to `from`.
void switch_fiber(Fiber* from, Fiber* to, bool dies = false);

class FiberPool {
 public:
  FiberPool() = default;
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  // A stack on which `entry` starts at the first switch to it; it must not return.
  Fiber* take(void (*entry)());
  void give_back(Fiber* fiber) { free_.push_back(fiber); }
  void take_all_back();
  bool owns(const void* address) const;

 private:
  std::vector<std::unique_ptr<Fiber>> all_;
  std::vector<Fiber*> free_;
  std::vector<char*> slabs_;
};

}  // namespace emulated
}  // namespace opwright
