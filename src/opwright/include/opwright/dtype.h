// The 16-bit floating-point types, and the type that arithmetic on an element is done in.
#pragma once

#include <stdint.h>

#include "target.h"

namespace opwright {

namespace detail {

template <typename To, typename From>
OPWRIGHT_INLINE To bit_cast(From from) {
  static_assert(sizeof(To) == sizeof(From), "bit_cast keeps the size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

OPWRIGHT_INLINE uint32_t mask_if(bool condition) { return 0u - static_cast<uint32_t>(condition); }

// The conversions are free of branches, so that loops over them are vectorised; on a device they
// are the chip's own where it has them. As in PyTorch, NaN becomes a quiet NaN (0x7fc0 here).
OPWRIGHT_INLINE uint16_t bfloat16_bits(float value) {
#if OPWRIGHT_CUDA_ARCH >= 800
  uint16_t converted;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(converted) : "f"(value));
  return converted;
#else
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t rounded = bits + (0x7fffu + ((bits >> 16) & 1u));  // to nearest, ties to even
  const uint32_t nan = mask_if(value != value);
  return static_cast<uint16_t>(((rounded & ~nan) | (0x7fc00000u & nan)) >> 16);
#endif
}

// After "Half to float done quic", F. Giesen, public domain: a subnormal is renormalised by a
// subtraction whose result is exact.
OPWRIGHT_INLINE float float_from_float16_bits(uint16_t half) {
#if OPWRIGHT_CUDA_ARCH
  float converted;
  asm("cvt.f32.f16 %0, %1;" : "=f"(converted) : "h"(half));
  return converted;
#elif OPWRIGHT_AMD_DEVICE
  return static_cast<float>(bit_cast<_Float16>(half));
#else
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffu) << 13;
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t normal = magnitude + (112u << 23);
  const float subnormal = bit_cast<float>(magnitude + (113u << 23)) - 6.103515625e-05f;  // 2^-14
  const uint32_t is_subnormal = mask_if(magnitude < (1u << 23));
  uint32_t bits = (bit_cast<uint32_t>(subnormal) & is_subnormal) | (normal & ~is_subnormal);
  bits += (112u << 23) & mask_if(magnitude >= (31u << 23));  // infinity and NaN
  bits |= 0x400000u & mask_if(magnitude > (31u << 23));      // NaN becomes quiet
  return bit_cast<float>(bits | sign);
#endif
}

// Rounds to nearest, ties to even; NaN keeps its sign and becomes quiet. A subnormal result is
// rounded by the floating-point addition of a number whose last place is 2^-24.
OPWRIGHT_INLINE uint16_t float16_bits(float value) {
#if OPWRIGHT_CUDA_ARCH
  uint16_t converted;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(converted) : "f"(value));
  return converted;
#elif OPWRIGHT_AMD_DEVICE
  return bit_cast<uint16_t>(static_cast<_Float16>(value));
#else
  const uint32_t bits = bit_cast<uint32_t>(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t odd = (magnitude >> 13) & 1u;
  const uint32_t normal = (magnitude + 0xfffu + odd - (112u << 23)) >> 13;
  const uint32_t subnormal = bit_cast<uint32_t>(bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const uint32_t is_subnormal = mask_if(magnitude < (113u << 23));
  const uint32_t is_infinite = mask_if(magnitude >= (143u << 23));  // 2^16 and more
  const uint32_t is_nan = mask_if(magnitude > 0x7f800000u);
  uint32_t half = (subnormal & is_subnormal) | (normal & ~is_subnormal);
  half = (0x7c00u & is_infinite) | (half & ~is_infinite);
  half |= (0x200u | ((magnitude >> 13) & 0x3ffu)) & is_nan;
  return static_cast<uint16_t>(half | ((bits >> 16) & 0x8000u));
#endif
}

}  // namespace detail

// The upper half of a float: 8 bits of exponent, 7 of significand.
struct bfloat16 {
  uint16_t bits;

  bfloat16() = default;
  OPWRIGHT_INLINE explicit bfloat16(float value) : bits(detail::bfloat16_bits(value)) {}
  OPWRIGHT_INLINE explicit operator float() const {
    return detail::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
  }
};

// IEEE binary16: 5 bits of exponent, 10 of significand.
struct float16 {
  uint16_t bits;

  float16() = default;
  OPWRIGHT_INLINE explicit float16(float value) : bits(detail::float16_bits(value)) {}
  OPWRIGHT_INLINE explicit operator float() const { return detail::float_from_float16_bits(bits); }
};

static_assert(sizeof(bfloat16) == 2 && sizeof(float16) == 2, "16-bit types take two bytes");

namespace detail {
template <typename T>
struct compute {
  using type = T;
};
template <>
struct compute<bfloat16> {
  using type = float;
};
template <>
struct compute<float16> {
  using type = float;
};
template <typename T>
struct compute<const T> : compute<T> {};
}  // namespace detail

// The type that arithmetic on a T is done in: float for the 16-bit types, T itself otherwise.
template <typename T>
using compute_t = typename detail::compute<T>::type;

// An element, ready for arithmetic.
template <typename T>
OPWRIGHT_INLINE compute_t<T> widen(T value) {
  return static_cast<compute_t<T>>(value);
}

// The result of the arithmetic, rounded once to the element type.
template <typename T>
OPWRIGHT_INLINE T narrow(compute_t<T> value) {
  return static_cast<T>(value);
}

}  // namespace opwright
