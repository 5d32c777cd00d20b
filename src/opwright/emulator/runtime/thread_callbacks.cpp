// The functions that code compiled with -fsanitize=thread calls, in place of its runtime library.
#include <cstddef>
#include <cstdint>

#include "access.h"
#include "opwright/emulated/atomics.h"

using opwright::emulated::AccessKind;
using opwright::emulated::on_access;
using opwright::emulated::on_fence;

#pragma GCC visibility push(hidden)

#define RETURN_ADDRESS reinterpret_cast<uintptr_t>(__builtin_return_address(0))

#define ACCESS(function, bytes, kind, natural)                            \
  void function(void* address) {                                          \
    on_access(address, bytes, AccessKind::kind, RETURN_ADDRESS, natural); \
  }

// Volatile accesses to global memory are how flags between blocks were written before atomics.
#define ACCESSES(bytes)                                             \
  ACCESS(__tsan_read##bytes, bytes, read, true)                     \
  ACCESS(__tsan_write##bytes, bytes, write, true)                   \
  ACCESS(__tsan_unaligned_read##bytes, bytes, read, false)          \
  ACCESS(__tsan_unaligned_write##bytes, bytes, write, false)        \
  ACCESS(__tsan_volatile_read##bytes, bytes, read, true)            \
  ACCESS(__tsan_volatile_write##bytes, bytes, write, true)          \
  ACCESS(__tsan_unaligned_volatile_read##bytes, bytes, read, false) \
  ACCESS(__tsan_unaligned_volatile_write##bytes, bytes, write, false)

#define FETCH(bits, T, name)                                                                       \
  T __tsan_atomic##bits##_fetch_##name(volatile T* address, T value, int) {                        \
    on_access(const_cast<const T*>(address), sizeof(T), AccessKind::atomic, RETURN_ADDRESS, true); \
    return __atomic_fetch_##name(address, value, __ATOMIC_SEQ_CST);                                \
  }

#define ATOMICS(bits, T)                                                                           \
  T __tsan_atomic##bits##_load(const volatile T* address, int) {                                   \
    on_access(const_cast<const T*>(address), sizeof(T), AccessKind::atomic, RETURN_ADDRESS, true); \
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);                                             \
  }                                                                                                \
  void __tsan_atomic##bits##_store(volatile T* address, T value, int) {                            \
    on_access(const_cast<const T*>(address), sizeof(T), AccessKind::atomic, RETURN_ADDRESS, true); \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                            \
  }                                                                                                \
  T __tsan_atomic##bits##_exchange(volatile T* address, T value, int) {                            \
    on_access(const_cast<const T*>(address), sizeof(T), AccessKind::atomic, RETURN_ADDRESS, true); \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                                  \
  }                                                                                                \
  bool __tsan_atomic##bits##_compare_exchange_strong(volatile T* address, T* expected, T value,    \
                                                     int, int) {                                   \
    on_access(const_cast<const T*>(address), sizeof(T), AccessKind::atomic, RETURN_ADDRESS, true); \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,          \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  bool __tsan_atomic##bits##_compare_exchange_weak(volatile T* address, T* expected, T value, int, \
                                                   int) {                                          \
    on_access(const_cast<const T*>(address), sizeof(T), AccessKind::atomic, RETURN_ADDRESS, true); \
    return __atomic_compare_exchange_n(address, expected, value, false, __ATOMIC_SEQ_CST,          \
                                       __ATOMIC_SEQ_CST);                                          \
  }                                                                                                \
  FETCH(bits, T, add)                                                                              \
  FETCH(bits, T, sub)                                                                              \
  FETCH(bits, T, and) FETCH(bits, T, or) FETCH(bits, T, xor) FETCH(bits, T, nand)

extern "C" {

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void* address, size_t bytes) {
  on_access(address, bytes, AccessKind::read, RETURN_ADDRESS, false);
}
void __tsan_write_range(void* address, size_t bytes) {
  on_access(address, bytes, AccessKind::write, RETURN_ADDRESS, false);
}

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void*, void*) {}
void __tsan_vptr_read(void*) {}

ATOMICS(8, unsigned char)
ATOMICS(16, unsigned short)
ATOMICS(32, unsigned)
ATOMICS(64, unsigned long)

void __tsan_atomic_thread_fence(int) { on_fence(); }
void __tsan_atomic_signal_fence(int) {}
}

#pragma GCC visibility pop

namespace opwright {
namespace emulated {

void atomic_access(const void* address, size_t size_bytes, const void* pc) {
  on_access(address, size_bytes, AccessKind::atomic, reinterpret_cast<uintptr_t>(pc), true);
}

void memory_fence() {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  on_fence();
}

}  // namespace emulated
}  // namespace opwright
