// Short runs of elements, as a vectorised loop wants them: a whole number of vectors long, and in a
// type that compilers convert from and to in vector code.
#pragma once

#include <stdint.h>

#include "dtype.h"
#include "target.h"

namespace opwright {

namespace detail {

// Elements in a block: few enough that the blocks of a loop stay in the first-level cache.
constexpr int kBlock = 512;

// Every loop over a block runs a multiple of this, so that it needs no scalar rest.
constexpr int kLanes = 16;

OPWRIGHT_INLINE int whole_vectors(int count) { return (count + kLanes - 1) & -kLanes; }

// How many of the elements that are left make up the next block: whole vectors while there are any.
OPWRIGHT_INLINE int block_length(int64_t left) {
  if (left >= kBlock) return kBlock;
  return static_cast<int>(left >= kLanes ? left & -kLanes : left);
}

// `count` elements as whole vectors: where they are, or copied and followed by zeros.
template <typename T>
OPWRIGHT_INLINE const T* padded(const T* from, T (&room)[kLanes], int count) {
  if (count >= kLanes) return from;
  __builtin_memset(room, 0, sizeof(room));
  __builtin_memcpy(room, from, count * sizeof(T));
  return room;
}

// A block of an input as a loop reads it: of the elements behind a pointer, or of what else has a
// specialisation.
template <typename Input>
struct InputBlock;

template <typename T>
struct InputBlock<const T*> {
  T room[kLanes];

  OPWRIGHT_INLINE InputBlock() {}  // written out, so that InputBlock() does not fill it with zeros
  OPWRIGHT_INLINE const T* read(const T* from, int count) { return padded(from, room, count); }
};

template <typename T>
struct InputBlock<T*> : InputBlock<const T*> {
  OPWRIGHT_INLINE InputBlock() {}
};

// A block of an output: place() is where a loop writes it, finish() brings it to where it belongs.
template <typename T>
struct OutputBlock {
  T results[kLanes];

  OPWRIGHT_INLINE T* place(T* to, int count) { return count >= kLanes ? to : results; }
  OPWRIGHT_INLINE void finish(T* to, int count) {
    if (count < kLanes) __builtin_memcpy(to, results, count * sizeof(T));
  }
};

#if defined(__F16C__)
// Compilers do not vectorise these conversions by themselves, although there are instructions.
using Float8 = float __attribute__((vector_size(32), aligned(4), may_alias));
#if defined(__clang__)
using Half8 = _Float16 __attribute__((vector_size(16), aligned(2), may_alias));

OPWRIGHT_INLINE Float8 widen8(Half8 from) { return __builtin_convertvector(from, Float8); }
OPWRIGHT_INLINE Half8 narrow8(Float8 from) { return __builtin_convertvector(from, Half8); }
#else
using Half8 = short __attribute__((vector_size(16), aligned(2), may_alias));

OPWRIGHT_INLINE Float8 widen8(Half8 from) { return __builtin_ia32_vcvtph2ps256(from); }
OPWRIGHT_INLINE Half8 narrow8(Float8 from) { return __builtin_ia32_vcvtps2ph256(from, 0); }
#endif

template <>
struct InputBlock<const float16*> {
  float16 room[kLanes];
  alignas(64) float values[kBlock];

  OPWRIGHT_INLINE InputBlock() {}
  OPWRIGHT_INLINE const float* read(const float16* from, int count) {
    from = padded(from, room, count);
    for (int i = 0; i < whole_vectors(count); i += 8) {
      *reinterpret_cast<Float8*>(values + i) = widen8(*reinterpret_cast<const Half8*>(from + i));
    }
    return values;
  }
};

template <>
struct OutputBlock<float16> {
  alignas(64) float values[kBlock];
  OutputBlock<uint16_t> halves;

  OPWRIGHT_INLINE float* place(float16*, int) { return values; }
  OPWRIGHT_INLINE void finish(float16* to, int count) {
    auto* const bits = reinterpret_cast<uint16_t*>(to);
    uint16_t* const place = halves.place(bits, count);
    for (int i = 0; i < whole_vectors(count); i += 8) {
      *reinterpret_cast<Half8*>(place + i) = narrow8(*reinterpret_cast<const Float8*>(values + i));
    }
    halves.finish(bits, count);
  }
};
#endif

}  // namespace detail

}  // namespace opwright
