// Runs of elements that a thread moves by one instruction, 16 bytes long as a rule, and their
// elements as numbers:
//
//   constexpr int N = opwright::vector_length<T>();  // 4 of float, 8 of the 16-bit types
//   const auto run = opwright::load<N>(from);        // `from` has to be aligned to the run
//   opwright::store(to, opwright::packed<T>(numbers));
//
// No access asks the caches not to keep what is used once: on an H200 that costs a tenth of the
// bandwidth (docs/performance.md).
#pragma once

#include <stdint.h>

#include <initializer_list>
#include <type_traits>

#include "device.h"
#include "dtype.h"

namespace opwright {

constexpr int kVectorBytes = 16;

// Elements of the largest of the types that fit 16 bytes: a loop moves as many of each tensor.
template <typename... T>
constexpr int vector_length() {
  int length = kVectorBytes;
  for (const int fitting : {kVectorBytes / static_cast<int>(sizeof(T))...})
    length = fitting < length ? fitting : length;
  return length;
}

// N elements as they lie in memory.
template <typename T, int N>
struct alignas(N * sizeof(T)) Run {
  T at[N];

  // The element, ready for arithmetic. Of two bfloat16 in a register each takes one instruction.
  OPWRIGHT_DEVICE_INLINE compute_t<T> number(int i) const {
    if constexpr (std::is_same<T, bfloat16>::value && N > 1) {
      uint32_t pair;
      __builtin_memcpy(&pair, at + i / 2 * 2, sizeof(pair));
      return detail::bit_cast<float>(i % 2 == 0 ? pair << 16 : pair & 0xffff0000u);
    } else {
      return widen(at[i]);
    }
  }
};

// Whether runs of so many bytes may begin at `data`.
inline bool is_aligned(const void* data, size_t size_bytes) {
  return reinterpret_cast<uintptr_t>(data) % size_bytes == 0;
}

namespace detail {

// What one instruction loads or stores, by its size.
template <size_t SizeBytes>
struct Word;

#if defined(__CUDACC__) && !defined(OPWRIGHT_EMULATED)
#define OPWRIGHT_WORD(size_bytes, Cuda, Integer) \
  template <>                                    \
  struct Word<size_bytes> {                      \
    using type = Cuda;                           \
  };
#else
#define OPWRIGHT_WORD(size_bytes, Cuda, Integer)                              \
  template <>                                                                 \
  struct Word<size_bytes> {                                                   \
    typedef Integer type __attribute__((vector_size(size_bytes), may_alias)); \
  };
#endif
OPWRIGHT_WORD(16, uint4, uint32_t)
OPWRIGHT_WORD(8, uint2, uint32_t)
OPWRIGHT_WORD(4, unsigned, uint32_t)
OPWRIGHT_WORD(2, unsigned short, uint16_t)
OPWRIGHT_WORD(1, unsigned char, uint8_t)
#undef OPWRIGHT_WORD

// A plain access may be taken apart by NVIDIA's compiler, where its parts come from different
// registers.
#if defined(__CUDACC__) && !defined(OPWRIGHT_EMULATED)
#define OPWRIGHT_LOAD_WORD(from) __ldca(from)
#define OPWRIGHT_STORE_WORD(to, word) __stwb(to, word)
#else
#define OPWRIGHT_LOAD_WORD(from) (*(from))
#define OPWRIGHT_STORE_WORD(to, word) (*(to) = (word))
#endif

}  // namespace detail

// The N elements from `from` on.
template <int N, typename T>
OPWRIGHT_DEVICE_INLINE Run<T, N> load(const T* from) {
  using Word = typename detail::Word<N * sizeof(T)>::type;
  return detail::bit_cast<Run<T, N>>(OPWRIGHT_LOAD_WORD(reinterpret_cast<const Word*>(from)));
}

// Stores the run's elements from `to` on.
template <typename T, int N>
OPWRIGHT_DEVICE_INLINE void store(T* to, const Run<T, N>& run) {
  using Word = typename detail::Word<N * sizeof(T)>::type;
  OPWRIGHT_STORE_WORD(reinterpret_cast<Word*>(to), detail::bit_cast<Word>(run));
}
#undef OPWRIGHT_LOAD_WORD
#undef OPWRIGHT_STORE_WORD

namespace detail {

// Two floats as two elements of 16 bits, the first in the lower half. NVIDIA's chips round two by
// one instruction.
OPWRIGHT_DEVICE_INLINE uint32_t pair_of(float first, float second, bfloat16) {
#if OPWRIGHT_CUDA_ARCH >= 800
  uint32_t pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
#else
  return bfloat16_bits(first) | static_cast<uint32_t>(bfloat16_bits(second)) << 16;
#endif
}
OPWRIGHT_DEVICE_INLINE uint32_t pair_of(float first, float second, float16) {
#if OPWRIGHT_CUDA_ARCH >= 800
  uint32_t pair;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
  return pair;
#else
  return float16_bits(first) | static_cast<uint32_t>(float16_bits(second)) << 16;
#endif
}

}  // namespace detail

// The numbers, each rounded once to the element type.
template <typename T, int N>
OPWRIGHT_DEVICE_INLINE Run<T, N> packed(const compute_t<T> (&numbers)[N]) {
  Run<T, N> run;
  if constexpr (N > 1 && !std::is_same<T, compute_t<T>>::value) {
    uint32_t pairs[N / 2];
    for (int i = 0; i < N / 2; ++i)
      pairs[i] = detail::pair_of(numbers[2 * i], numbers[2 * i + 1], T());
    __builtin_memcpy(&run, pairs, sizeof(run));
  } else {
    for (int i = 0; i < N; ++i) run.at[i] = narrow<T>(numbers[i]);
  }
  return run;
}

}  // namespace opwright
