// Stacks of their own for threads that wait, and the switch between them, without a system call.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "sanitizer.h"

namespace opwright {
namespace emulated {

struct Fiber {
  void* stack_pointer = nullptr;
  char* bottom = nullptr;  // lowest address of the stack; null: the host thread's own
  size_t size = 0;
  void* fake_stack = nullptr;  // AddressSanitizer's
};

// Saves the registers that a function must keep, and the stack pointer in *from; loads them from
// `to`. Nothing else is a fiber's own: signal masks and rounding are the host thread's.
extern "C" void opwright_emulated_switch(void** from, void* to)
    __attribute__((visibility("hidden")));

// Leaves `from`, goes on in `to`. `dies`: nobody comes back to `from`.
inline void switch_fiber(Fiber* from, Fiber* to, bool dies = false) {
  if (__sanitizer_start_switch_fiber) {
    __sanitizer_start_switch_fiber(dies ? nullptr : &from->fake_stack, to->bottom, to->size);
  }
  opwright_emulated_switch(&from->stack_pointer, to->stack_pointer);
  if (__sanitizer_finish_switch_fiber) {
    __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
  }
}

// What AddressSanitizer is to know before a new fiber runs anything else.
inline void begin_fiber() {
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
}

class FiberPool {
 public:
  FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;
  ~FiberPool();

  // A stack on which `entry` starts at the first switch to it; it must call begin_fiber() first
  // and must not return.
  Fiber* take(void (*entry)());
  void give_back(Fiber* fiber) { free_.push_back(fiber); }
  void take_all_back();
  bool owns(const void* address) const;

 private:
  void add_slab();

  size_t count_ = 0;
  std::vector<Fiber*> free_;
  struct Slab;
  std::vector<std::unique_ptr<Slab>> slabs_;
};

}  // namespace emulated
}  // namespace opwright
