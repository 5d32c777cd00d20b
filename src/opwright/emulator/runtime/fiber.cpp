#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "sanitizer.h"

// Saves the registers that a function must keep, and the stack pointer in *from; loads them from
// `to`. Nothing else of a fiber is state: signal masks and rounding are the host thread's.
extern "C" void opwright_emulated_switch(void** from, void* to)
    __attribute__((visibility("hidden")));

#if defined(__x86_64__)
asm(R"(
.text
.p2align 4
.globl opwright_emulated_switch
.hidden opwright_emulated_switch
.type opwright_emulated_switch,@function
opwright_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size opwright_emulated_switch,.-opwright_emulated_switch
)");
#elif defined(__aarch64__)
asm(R"(
.text
.p2align 4
.globl opwright_emulated_switch
.hidden opwright_emulated_switch
.type opwright_emulated_switch,%function
opwright_emulated_switch:
  sub sp, sp, #160
  stp x19, x20, [sp]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size opwright_emulated_switch,.-opwright_emulated_switch
)");
#else
#error "opwright: the emulator runs on x86-64 and aarch64"
#endif

namespace opwright {
namespace emulated {
namespace {

constexpr size_t kStackBytes = size_t{256} << 10;
constexpr size_t kGuardBytes = size_t{64} << 10;  // also with pages of 64 KiB
constexpr size_t kSlabStacks = 64;
constexpr size_t kSlotBytes = kStackBytes + kGuardBytes;

// Neighbours would meet in the same lines of the cache if all stacks began at the same offset.
constexpr size_t kColourBytes = 320;
constexpr size_t kColours = 48;

thread_local void (*entry_of_new_fiber)();

void* prepared_stack(char* top, void (*entry)()) {
  auto** slot = reinterpret_cast<void**>(reinterpret_cast<uintptr_t>(top) & ~uintptr_t{15});
#if defined(__x86_64__)
  *--slot = nullptr;  // the return address of `entry`: the end of every back trace
  *--slot = reinterpret_cast<void*>(entry);
  for (int i = 0; i < 6; ++i) *--slot = nullptr;
#else
  slot -= 20;
  for (int i = 0; i < 20; ++i) slot[i] = nullptr;
  slot[11] = reinterpret_cast<void*>(entry);  // x30
#endif
  return slot;
}

// Where a new fiber starts: what AddressSanitizer is to know comes before the fiber's own code.
void begin_fiber() {
  if (__sanitizer_finish_switch_fiber) __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
  entry_of_new_fiber();
}

}  // namespace

void switch_fiber(Fiber* from, Fiber* to, bool dies) {
  if (__sanitizer_start_switch_fiber) {
    __sanitizer_start_switch_fiber(dies ? nullptr : &from->fake_stack, to->bottom, to->size);
  }
  opwright_emulated_switch(&from->stack_pointer, to->stack_pointer);
  if (__sanitizer_finish_switch_fiber) {
    __sanitizer_finish_switch_fiber(from->fake_stack, nullptr, nullptr);
  }
}

FiberPool::~FiberPool() {
  for (char* slab : slabs_) munmap(slab, kSlabStacks * kSlotBytes);
}

Fiber* FiberPool::take(void (*entry)()) {
  if (free_.empty()) {
    const size_t bytes = kSlabStacks * kSlotBytes;
    void* slab = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (slab == MAP_FAILED) {
      fprintf(stderr, "opwright: no address space for the stacks of emulated threads\n");
      abort();
    }
    slabs_.push_back(static_cast<char*>(slab));
    for (size_t i = kSlabStacks; i-- > 0;) {
      char* slot = static_cast<char*>(slab) + i * kSlotBytes;
      mprotect(slot, kGuardBytes, PROT_NONE);
      all_.push_back(std::make_unique<Fiber>());
      all_.back()->bottom = slot + kGuardBytes;
      all_.back()->size = kStackBytes - (all_.size() % kColours) * kColourBytes;
      free_.push_back(all_.back().get());
    }
  }
  Fiber* fiber = free_.back();
  free_.pop_back();
  entry_of_new_fiber = entry;
  fiber->fake_stack = nullptr;
  fiber->stack_pointer = prepared_stack(fiber->bottom + fiber->size, &begin_fiber);
  return fiber;
}

void FiberPool::take_all_back() {
  free_.clear();
  for (auto fiber = all_.rbegin(); fiber != all_.rend(); ++fiber) {
    unpoison((*fiber)->bottom, (*fiber)->size);
    free_.push_back(fiber->get());
  }
}

bool FiberPool::owns(const void* address) const {
  const char* at = static_cast<const char*>(address);
  for (const char* slab : slabs_) {
    if (at >= slab && at < slab + kSlabStacks * kSlotBytes) return true;
  }
  return false;
}

}  // namespace emulated
}  // namespace opwright
