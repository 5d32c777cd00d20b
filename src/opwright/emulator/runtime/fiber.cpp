#include "fiber.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

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

}  // namespace

struct FiberPool::Slab {
  char* stacks = nullptr;
  Fiber fibers[kSlabStacks];

  ~Slab() { munmap(stacks, kSlabStacks * kSlotBytes); }
};

FiberPool::FiberPool() = default;
FiberPool::~FiberPool() = default;

void FiberPool::add_slab() {
  void* stacks = mmap(nullptr, kSlabStacks * kSlotBytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (stacks == MAP_FAILED) {
    fprintf(stderr, "opwright: no address space for the stacks of emulated threads\n");
    abort();
  }
  slabs_.push_back(std::make_unique<Slab>());
  Slab& slab = *slabs_.back();
  slab.stacks = static_cast<char*>(stacks);
  for (size_t i = 0; i < kSlabStacks; ++i) {
    char* slot = slab.stacks + i * kSlotBytes;
    mprotect(slot, kGuardBytes, PROT_NONE);
    slab.fibers[i].bottom = slot + kGuardBytes;
    slab.fibers[i].size = kStackBytes - (count_++ % kColours) * kColourBytes;
  }
}

Fiber* FiberPool::take(void (*entry)()) {
  if (free_.empty()) {
    add_slab();
    for (size_t i = kSlabStacks; i-- > 0;) free_.push_back(&slabs_.back()->fibers[i]);
  }
  Fiber* fiber = free_.back();
  free_.pop_back();
  fiber->fake_stack = nullptr;
  fiber->stack_pointer = prepared_stack(fiber->bottom + fiber->size, entry);
  return fiber;
}

void FiberPool::take_all_back() {
  free_.clear();
  for (auto slab = slabs_.rbegin(); slab != slabs_.rend(); ++slab) {
    for (size_t i = kSlabStacks; i-- > 0;) {
      Fiber* fiber = &(*slab)->fibers[i];
      unpoison(fiber->bottom, fiber->size);
      free_.push_back(fiber);
    }
  }
}

bool FiberPool::owns(const void* address) const {
  const char* at = static_cast<const char*>(address);
  for (const auto& slab : slabs_) {
    if (at >= slab->stacks && at < slab->stacks + kSlabStacks * kSlotBytes) return true;
  }
  return false;
}

}  // namespace emulated
}  // namespace opwright
