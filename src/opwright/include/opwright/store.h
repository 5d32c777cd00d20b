// Results on their way to memory: through the caches, or past them.
#pragma once

#include <stdint.h>

#include "target.h"

namespace opwright {

// Whether results go through the caches, or past them because nobody reads them soon.
enum class Store { cached, streamed };

namespace detail {

#if defined(__x86_64__)
#if defined(__AVX__)
constexpr int kStreamBytes = 32;
#else
constexpr int kStreamBytes = 16;
#endif
using StreamVector = float __attribute__((vector_size(kStreamBytes), may_alias));

OPWRIGHT_INLINE void stream_vector(StreamVector* to, StreamVector value) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, to);
#elif defined(__AVX__)
  __builtin_ia32_movntps256(reinterpret_cast<float*>(to), value);
#else
  __builtin_ia32_movntps(reinterpret_cast<float*>(to), value);
#endif
}

inline void stream_bytes(const char* from, char* to, int size_bytes) {
  const auto misalignment = static_cast<int>(reinterpret_cast<uintptr_t>(to) % kStreamBytes);
  int at = misalignment ? kStreamBytes - misalignment : 0;
  if (at > size_bytes) at = size_bytes;
  __builtin_memcpy(to, from, at);
  for (; at + kStreamBytes <= size_bytes; at += kStreamBytes) {
    StreamVector value;
    __builtin_memcpy(&value, from + at, sizeof(value));
    stream_vector(reinterpret_cast<StreamVector*>(to + at), value);
  }
  __builtin_memcpy(to + at, from + at, size_bytes - at);
}

// Streamed stores become visible to other threads in any order, until this.
inline void finish_streaming() { __builtin_ia32_sfence(); }
#else
inline void stream_bytes(const char* from, char* to, int size_bytes) {
  __builtin_memcpy(to, from, size_bytes);
}
inline void finish_streaming() {}
#endif

template <typename T>
OPWRIGHT_INLINE void stream_block(const T* from, T* to, int count) {
  stream_bytes(reinterpret_cast<const char*>(from), reinterpret_cast<char*>(to),
               count * static_cast<int>(sizeof(T)));
}

}  // namespace detail

}  // namespace opwright
