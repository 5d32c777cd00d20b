// The functions of math.h for device kernels, by the units that a chip has for exponentials and
// reciprocals. (math.h is written for a host's vector units: it has no such unit and no branch.)
//
// Called as silu<T>(x), they may be less exact where a result is to be rounded to a T of 16 bits:
// their relative error is below 2e-5 then, a tenth of what rounding to float16 takes. Slopes, which
// are 0 somewhere, may be wrong by 2e-6 there; without a T by 1e-6.
//
// Largest error of the float versions otherwise, in units in the last place of the result: what exp
// of the toolkit's library has, and 2 more; for gelu_erf 6. Tails of GELU and of its slope multiply
// the rounding of their exponential's argument by that argument, and cancel nowhere, as PyTorch's
// do.
#pragma once

#include <math.h>

#include <type_traits>

#include "device.h"
#include "dtype.h"

namespace opwright {

namespace detail {

// 2^x and 1 / x for x >= 1: within 2 units in the last place; what would be subnormal may be 0.
OPWRIGHT_DEVICE_INLINE float exp2_of(float x) {
#if OPWRIGHT_CUDA_ARCH
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#elif OPWRIGHT_AMD_DEVICE
  return __builtin_amdgcn_exp2f(x);
#else
  return ::exp2f(x);
#endif
}
OPWRIGHT_DEVICE_INLINE float reciprocal_of(float x) {
#if OPWRIGHT_CUDA_ARCH
  float result;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
#elif OPWRIGHT_AMD_DEVICE
  return __builtin_amdgcn_rcpf(x);
#else
  return 1.0f / x;
#endif
}
OPWRIGHT_DEVICE_INLINE double exp2_of(double x) { return ::exp2(x); }
OPWRIGHT_DEVICE_INLINE double reciprocal_of(double x) { return 1.0 / x; }

// Whether results are rounded to 16 bits; void stands for a type that is not known.
template <typename T>
constexpr bool kIsHalf = std::is_same<T, float16>::value || std::is_same<T, bfloat16>::value;

// exp(-2 * u) with u = sqrt(2 / pi) * (x + 0.044715 * x^3), which is 2^t with t as here.
template <typename F>
OPWRIGHT_DEVICE_INLINE F exp_of_minus_two_u(F x) {
  return exp2_of(x * (F(-2.3022081981443249) + F(-0.10294323958002349) * (x * x)));
}

// The density of the normal distribution at x over that at 0, and what lies beyond |x|. With z =
// |x| / sqrt(2) that is erfc(z) / 2, where erfc(z) = exp(-z * z) * P(t) and t = 1 / (1 + p * z): P
// was fitted to z < 12 for the least relative error, 2e-8, and of a rough one 5e-6.
template <bool Rough>
struct Normal {
  float density, beyond;

  OPWRIGHT_DEVICE_INLINE explicit Normal(float x) {
    density = exp2_of(x * x * -0.72134752f);
    const float t = reciprocal_of(1.0f + (Rough ? 0.31112698f : 0.26870058f) * fabsf(x));
    beyond = 0.5f * density * t * polynomial(t);
  }
  // The distribution function at x.
  OPWRIGHT_DEVICE_INLINE float below(float x) const { return x < 0 ? beyond : 1.0f - beyond; }

 private:
  static OPWRIGHT_DEVICE_INLINE float polynomial(float t) {
    if constexpr (Rough) {
      return horner(
          t, {-0.14610280f, 0.35064481f, 0.040738764f, 0.26358286f, 0.24257025f, 0.24856097f});
    } else {
      return horner(t, {0.059047845f, -0.26269091f, 0.36474611f, -0.16252085f, 0.23079795f,
                        0.13830130f, 0.20400164f, 0.21390506f, 0.21441187f});
    }
  }
  template <int Count>
  static OPWRIGHT_DEVICE_INLINE float horner(float t, const float (&coefficients)[Count]) {
    float sum = coefficients[0];
#pragma unroll
    for (int i = 1; i < Count; ++i) sum = sum * t + coefficients[i];
    return sum;
  }
};

}  // namespace detail

// e^x
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F exp(F x) {
  if constexpr (detail::kIsHalf<T>) return detail::exp2_of(x * F(1.4426950408889634));
  return ::exp(x);
}

// 1 / (1 + exp(-x))
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F sigmoid(F x) {
  return detail::reciprocal_of(F(1) + exp<T>(-x));
}

// x * sigmoid(x), also known as swish
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F silu(F x) {
  return x * sigmoid<T>(x);
}

// d silu(x) / dx
template <typename T = void, typename F>
OPWRIGHT_DEVICE_INLINE F silu_slope(F x) {
  const F s = sigmoid<T>(x);
  return s * (F(1) + x * (F(1) - s));
}

// The tanh form of GELU, as x * sigmoid(2 * u), which cancels nowhere.
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_tanh(F x) {
  return x * detail::reciprocal_of(F(1) + detail::exp_of_minus_two_u(x));
}

// GELU proper: x times the normal distribution function at x
template <typename T = void>
OPWRIGHT_DEVICE_INLINE float gelu_erf(float x) {
  return x * detail::Normal<detail::kIsHalf<T>>(x).below(x);
}
template <typename T = void>
OPWRIGHT_DEVICE_INLINE double gelu_erf(double x) {
  return 0.5 * x * ::erfc(-0.7071067811865476 * x);
}

// d gelu_tanh(x) / dx: s + x * s * (1 - s) * d(2 * u)/dx with s = sigmoid(2 * u), where 1 - s is
// exp(-2 * u) * s, which has to be a number where the exponential is infinite and s is 0.
template <typename F>
OPWRIGHT_DEVICE_INLINE F gelu_tanh_slope(F x) {
  const F finite = sizeof(F) == 4 ? F(1e38) : F(1e308);
  const F e = detail::exp_of_minus_two_u(x), s = detail::reciprocal_of(F(1) + e);
  const F rest = (e < finite ? e : finite) * s;
  return s + x * s * rest * (F(1.5957691216057308) + F(0.21406444881780075) * (x * x));
}

// d gelu_erf(x) / dx: the normal distribution at x, and x times its density
template <typename T = void>
OPWRIGHT_DEVICE_INLINE float gelu_erf_slope(float x) {
  const detail::Normal<detail::kIsHalf<T>> normal(x);
  return normal.below(x) + x * (0.39894228f * normal.density);
}
template <typename T = void>
OPWRIGHT_DEVICE_INLINE double gelu_erf_slope(double x) {
  return 0.5 * ::erfc(-0.7071067811865476 * x) + x * (0.3989422804014327 * ::exp(-0.5 * x * x));
}

}  // namespace opwright
