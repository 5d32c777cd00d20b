// Runs that begin at any element. Two aligned loads bring what a run lies in, and its bytes are
// shifted out of that. So as not to leave the tensor, the first and last elements of a row, or of a
// tensor that is gone through at once, are moved one by one.
#pragma once

#include <stdint.h>

#include "device_vector.h"

namespace opwright {

namespace detail {

// The lower word of two, behind so many of its bits.
OPWRIGHT_DEVICE_INLINE uint32_t shifted(uint32_t low, uint32_t high, unsigned bits) {
#if OPWRIGHT_CUDA_ARCH
  return __funnelshift_r(low, high, bits);
#else
  return static_cast<uint32_t>((static_cast<uint64_t>(high) << 32 | low) >> bits);
#endif
}

// Moves what begins `count` places on to the front, where that is less than half of them.
template <typename Word, int Count>
OPWRIGHT_DEVICE_INLINE void move_to_front(Word (&words)[Count], unsigned count) {
#pragma unroll
  for (int step = Count / 4; step > 0; step /= 2) {
    const bool is_far = count & step;
#pragma unroll
    for (int i = 0; i + step < Count; ++i) words[i] = is_far ? words[i + step] : words[i];
  }
}

// The run that begins so many elements behind the first of two. Those of 16 bits move in pairs.
template <typename T, int N>
OPWRIGHT_DEVICE_INLINE Run<T, N> shifted_run(const Run<T, N>& first, const Run<T, N>& second,
                                             unsigned elements) {
  Run<T, N> run;
  if constexpr (sizeof(T) >= sizeof(uint32_t)) {
    T all[2 * N];
#pragma unroll
    for (int i = 0; i < N; ++i) all[i] = first.at[i], all[N + i] = second.at[i];
    move_to_front(all, elements);
#pragma unroll
    for (int i = 0; i < N; ++i) run.at[i] = all[i];
  } else {
    constexpr int kWords = static_cast<int>(sizeof(first) / sizeof(uint32_t));
    const unsigned bytes = elements * sizeof(T);
    uint32_t words[2 * kWords];
    __builtin_memcpy(words, &first, sizeof(first));
    __builtin_memcpy(words + kWords, &second, sizeof(second));
    move_to_front(words, bytes / sizeof(uint32_t));
#pragma unroll
    for (int i = 0; i < kWords; ++i)
      words[i] = shifted(words[i], words[i + 1], bytes % sizeof(uint32_t) * 8);
    __builtin_memcpy(&run, words, sizeof(run));
  }
  return run;
}

// What was loaded of a run, until it is settled; first is the run then. Nothing waits for memory in
// between: several runs are asked for before the first is settled.
template <typename T, int N>
struct AskedRun {
  Run<T, N> first, second;

  OPWRIGHT_DEVICE_INLINE compute_t<T> number(int i) const { return first.number(i); }
};

// Elements that may begin anywhere.
template <typename T>
struct Unaligned {
  const T* data;

  // How many elements behind an aligned run this one begins: the same for all whose distance is a
  // number of runs.
  template <int N>
  OPWRIGHT_DEVICE_INLINE int behind(int64_t at) const {
    return static_cast<int>(reinterpret_cast<uintptr_t>(data + at) / sizeof(T) % N);
  }
  template <int N>
  OPWRIGHT_DEVICE_INLINE void ask(AskedRun<T, N>& asked, int64_t at, int behind) const {
    if constexpr (N == 1) {
      asked.first = opwright::load<1>(data + at);
    } else {
      asked.first = opwright::load<N>(data + at - behind);
      if (behind != 0) asked.second = opwright::load<N>(data + at - behind + N);
    }
  }
  template <int N>
  static OPWRIGHT_DEVICE_INLINE void settle(AskedRun<T, N>& asked, int behind) {
    if constexpr (N > 1)
      asked.first = shifted_run(asked.first, asked.second, static_cast<unsigned>(behind));
  }
};

// The part of a row, or of a tensor, that is taken in runs, from `begin` on: at least a run behind
// its first element and in front of its last. All else is `edges` single elements, fewer than 4 N.
struct Inner {
  int64_t begin, length, edges;

  // The row begins `offset` elements behind a whole run of the output.
  template <int N>
  static OPWRIGHT_INLINE Inner of(uint64_t offset, int64_t count) {
    const int64_t begin = 2 * N - static_cast<int64_t>(offset % N);
    const int64_t length = count - begin - N;
    if (length < N) return {0, 0, count};
    return {begin, length / N * N, count - length / N * N};
  }
  OPWRIGHT_INLINE int64_t edge(int64_t i) const { return i < begin ? i : i + length; }
};

}  // namespace detail

}  // namespace opwright
