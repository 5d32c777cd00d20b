// Atomic functions on global and shared memory. Each returns what was there before.
#pragma once

#include <string.h>

#include <type_traits>

#include "here.h"

namespace opwright {
namespace emulated {

// What a watched kernel does unseen by its compiler's instrumentation. `pc`: where it is called.
void atomic_access(const void* address, size_t size_bytes, const void* pc);
void memory_fence();

template <size_t Bytes>
struct BitsOf;
template <>
struct BitsOf<2> {
  using type = unsigned short;
};
template <>
struct BitsOf<4> {
  using type = unsigned;
};
template <>
struct BitsOf<8> {
  using type = unsigned long long;
};

template <typename To, typename From>
__attribute__((no_sanitize("thread"))) To same_bits(const From& from) {
  static_assert(sizeof(To) == sizeof(From), "one value's bits are another's");
  To to;
  memcpy(static_cast<void*>(&to), &from, sizeof(to));
  return to;
}

// Replaces *address by update(*address).
template <typename T, typename Update>
#ifdef __SANITIZE_THREAD__
__attribute__((noinline, no_sanitize("thread")))
#endif
T update_atomically(T* address, Update update) {
  using Bits = typename BitsOf<sizeof(T)>::type;
#ifdef __SANITIZE_THREAD__
  atomic_access(address, sizeof(T), __builtin_return_address(0));
#endif
  auto* bits = reinterpret_cast<Bits*>(address);
  Bits old = __atomic_load_n(bits, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(bits, &old, same_bits<Bits>(T(update(same_bits<T>(old)))),
                                      true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
  }
  return same_bits<T>(old);
}

template <typename T>
using Same = typename std::common_type<T>::type;  // takes no part in deduction

}  // namespace emulated
}  // namespace opwright

#define OPWRIGHT_ATOMIC(name, expression)                                                     \
  template <typename T>                                                                       \
  OPWRIGHT_EMULATED_INLINE T name(T* address, ::opwright::emulated::Same<T> value) {          \
    return ::opwright::emulated::update_atomically(address,                                   \
                                                   [value](T old) { return expression; });    \
  }                                                                                           \
  template <typename T>                                                                       \
  OPWRIGHT_EMULATED_INLINE T name##_system(T* address, ::opwright::emulated::Same<T> value) { \
    return name(address, value);                                                              \
  }                                                                                           \
  template <typename T>                                                                       \
  OPWRIGHT_EMULATED_INLINE T name##_block(T* address, ::opwright::emulated::Same<T> value) {  \
    return name(address, value);                                                              \
  }

OPWRIGHT_ATOMIC(atomicAdd, old + value)
OPWRIGHT_ATOMIC(atomicSub, old - value)
OPWRIGHT_ATOMIC(atomicMin, value < old ? value : old)
OPWRIGHT_ATOMIC(atomicMax, old < value ? value : old)
OPWRIGHT_ATOMIC(atomicAnd, old& value)
OPWRIGHT_ATOMIC(atomicOr, old | value)
OPWRIGHT_ATOMIC(atomicXor, old ^ value)
OPWRIGHT_ATOMIC(atomicExch, value)
OPWRIGHT_ATOMIC(atomicInc, old >= value ? T(0) : T(old + 1))
OPWRIGHT_ATOMIC(atomicDec, old == 0 || old > value ? value : T(old - 1))
#undef OPWRIGHT_ATOMIC

template <typename T>
OPWRIGHT_EMULATED_INLINE T atomicCAS(T* address, ::opwright::emulated::Same<T> expected,
                                     ::opwright::emulated::Same<T> value) {
  return ::opwright::emulated::update_atomically(address, [=](T old) {
    using Bits = typename ::opwright::emulated::BitsOf<sizeof(T)>::type;
    const bool same = ::opwright::emulated::same_bits<Bits>(old) ==
                      ::opwright::emulated::same_bits<Bits>(T(expected));
    return same ? value : old;
  });
}

// AMD's, faster there for some memory.
template <typename T>
OPWRIGHT_EMULATED_INLINE T unsafeAtomicAdd(T* address, ::opwright::emulated::Same<T> value) {
  return atomicAdd(address, value);
}

OPWRIGHT_EMULATED_HIDDEN void __threadfence() { ::opwright::emulated::memory_fence(); }
OPWRIGHT_EMULATED_HIDDEN void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
OPWRIGHT_EMULATED_HIDDEN void __threadfence_system() { ::opwright::emulated::memory_fence(); }
