// Functions of one number, for loops that the compiler turns into vector code.
//
// The float versions have no branch and call no library, so a loop over them is vectorised by any
// instruction set, in g++ and clang, without -ffast-math (which they do not survive). The double
// versions call the C library. NaN, infinities and signed zeros come out as in PyTorch; as there,
// x times a factor that vanishes is NaN for x = -infinity.
//
// Largest error of the float versions in units in the last place of the result, measured on every
// 61st float with -O3 -march=native and with -O2:
//   exp, exp_of_negative 1.1   tanh 1.5   erf 1.3   erfc 1.3 up to 0.5, 8.5 above   sigmoid,
//   silu 2.5 gelu_erf 1.9 from 1 on, 4.5 from -0.5 on, 8.5 below gelu_tanh 2.3 from -0.5 on, 6.5
//   from -2, 40 from -5, 220 from -9.9: the rounding of its
//     exponential's argument u is multiplied by u (0.5 * x * (1 + tanh(u)) has no correct digit
//     at -6)
// Results of sigmoid, silu, gelu and erfc that are smaller than 1e-35 may become 0.
#pragma once

#include "dtype.h"
#include "target.h"

namespace opwright {

namespace detail {

OPWRIGHT_INLINE uint32_t mask_if_negative(float x) {
  return static_cast<uint32_t>(bit_cast<int32_t>(x) >> 31);
}

// `a` where the mask is set, else `b`. A conditional expression would do, but compilers move the
// computation of `a` and `b` into its branches, and then they do not vectorise the loop.
OPWRIGHT_INLINE float select(uint32_t mask, float a, float b) {
  return bit_cast<float>((bit_cast<uint32_t>(a) & mask) | (bit_cast<uint32_t>(b) & ~mask));
}

OPWRIGHT_INLINE float absolute(float x) {
  return bit_cast<float>(bit_cast<uint32_t>(x) & 0x7fffffffu);
}

OPWRIGHT_INLINE float with_sign_of(float magnitude, float x) {
  return bit_cast<float>(bit_cast<uint32_t>(magnitude) | (bit_cast<uint32_t>(x) & 0x80000000u));
}

// NaN stays NaN.
OPWRIGHT_INLINE float at_most(float x, float limit) { return select(mask_if(x > limit), limit, x); }
OPWRIGHT_INLINE float at_least(float x, float limit) {
  return select(mask_if(x < limit), limit, x);
}

// x within limits of which one is negative, in two instructions: floats are in the order of their
// bits, negative ones in that of unsigned numbers. NaN becomes a limit.
OPWRIGHT_INLINE float within(float negative, float x, float positive) {
  const int32_t bits = bit_cast<int32_t>(x), highest = bit_cast<int32_t>(positive);
  const uint32_t bounded = static_cast<uint32_t>(bits < highest ? bits : highest);
  const uint32_t lowest = bit_cast<uint32_t>(negative);
  return bit_cast<float>(bounded < lowest ? bounded : lowest);
}

template <typename F>
OPWRIGHT_INLINE F polynomial(F, F constant) {
  return constant;
}
// Coefficients from the lowest power to the highest, by Horner's rule.
template <typename F, typename... Rest>
OPWRIGHT_INLINE F polynomial(F x, F constant, Rest... rest) {
  return constant + x * polynomial(x, rest...);
}

// exp(a + b) = mantissa * 2^(exponent_bits - kExponentBias)
struct Exponential {
  float mantissa;
  int32_t exponent_bits;  // its lowest nine are those of a float's exponent
};
constexpr float kToInteger = 12582912.0f + 127.0f;   // adding 1.5 * 2^23 rounds to an integer
constexpr int32_t kExponentBias = 0x4b400000 + 127;  // the bits of kToInteger

// For |a| < 2^21 and |b| < 0.06: Cody and Waite's reduction to |r| < ln(2)/2 + |b| (W. J. Cody,
// W. Waite, Software Manual for the Elementary Functions, 1980; the split of ln(2) is that of
// Cephes' expf), then a polynomial from scripts/fit_math_coefficients.py.
OPWRIGHT_INLINE Exponential exp_parts(float a, float b) {
  const float shifted = a * 1.44269504f + kToInteger;
  const float n = shifted - kToInteger;
  const float r = ((a - n * 0.693359375f) + n * 2.12194440e-4f) + b;
  const float rest =
      polynomial(r, 0.49999982f, 0.16666383f, 0.04167002f, 0.008382787f, 0.0013785599f);
  return {1.0f + (r + r * r * rest), bit_cast<int32_t>(shifted)};
}

constexpr float kNothing = -0.0f;  // what can be added to any number without a trace

// exp(a + b) for -88.03 <= a <= 89, where it is a normal number; below it is 0, above infinity.
OPWRIGHT_INLINE float exp_of_normal_range(float a, float b) {
  const Exponential e = exp_parts(a, b);
  return e.mantissa * bit_cast<float>(static_cast<uint32_t>(e.exponent_bits) << 23);
}

// exp(x) to be added to 1: 0 below 2^-127, infinity above 2^127.5, some number for NaN.
OPWRIGHT_INLINE float exp_beside_one(float x) {
  return exp_of_normal_range(within(-88.03f, x, 89.0f), kNothing);
}

// exp(-x * x * factor) for x >= 0, a factor of 1 or 0.5 and x * x * factor <= 88.03. The square is
// split, since its rounding would be multiplied by its size.
OPWRIGHT_INLINE float exp_of_minus_square(float x, float factor) {
  const float high = bit_cast<float>(bit_cast<uint32_t>(x) & 0xfffff000u);  // its square is exact
  return exp_of_normal_range(high * high * -factor, (x - high) * (x + high) * -factor);
}

// Q(t) = exp(t^2 / 2) * (the normal distribution at -t), for 0 <= t < 14.5, in a variable like
// that of M. M. Shepherd and J. G. Laframboise, Math. Comp. 36 (1981), 249.
OPWRIGHT_INLINE float scaled_normal_tail(float t) {
  const float s = 1.0f / (1.0f + 0.34375f * t);
  return s * polynomial(s * t, 0.5f, -0.2270672f, 0.034805346f, 0.003743706f, -0.0010055297f,
                        -0.00011970214f, -6.9881244e-05f, 4.4155007e-05f, -5.377399e-06f);
}

// erfc(x) for x >= 0
OPWRIGHT_INLINE float erfc_of_positive(float x) {
  const float z = at_most(x, 9.38f);  // where exp_of_minus_square is 0
  return 2.0f * scaled_normal_tail(1.41421356f * z) * exp_of_minus_square(z, 1.0f);
}

// erf(x) for 0 <= x < 1
OPWRIGHT_INLINE float erf_near_zero(float x) {
  const float square = x * x;
  return x + x * polynomial(square, 0.12837917f, -0.37612626f, 0.112835854f, -0.026853813f,
                            0.0051883277f, -0.00080101937f, 7.8538615e-05f);
}

}  // namespace detail

OPWRIGHT_INLINE double exp(double x) { return __builtin_exp(x); }
OPWRIGHT_INLINE float exp(float x) {
  const float clamped = detail::at_most(detail::at_least(x, -104.0f), 89.0f);
  const detail::Exponential e = detail::exp_parts(clamped, detail::kNothing);
  const int32_t exponent = e.exponent_bits - detail::kExponentBias;
  const int32_t half = exponent >> 1;  // in two steps, so that subnormal results are right
  return e.mantissa * detail::bit_cast<float>((half + 127) << 23) *
         detail::bit_cast<float>((exponent - half + 127) << 23);
}

// exp(x) for x <= 0. What would be smaller than 2^-126 is 0.
OPWRIGHT_INLINE double exp_of_negative(double x) { return __builtin_exp(x); }
OPWRIGHT_INLINE float exp_of_negative(float x) {
  return detail::exp_of_normal_range(detail::at_least(x, -88.03f), detail::kNothing);
}

OPWRIGHT_INLINE double tanh(double x) { return __builtin_tanh(x); }
OPWRIGHT_INLINE float tanh(float x) {
  const float magnitude = detail::absolute(x);
  const float square = x * x;
  const float near_zero =
      magnitude + magnitude * square *
                      detail::polynomial(square, -0.33333284f, 0.13331491f, -0.053743497f,
                                         0.020650588f, -0.005717045f);
  const float e = exp(-2.0f * magnitude);
  const float far = 1.0f - 2.0f * e / (1.0f + e);
  const uint32_t is_near = detail::mask_if(magnitude < 0.625f);
  return detail::with_sign_of(detail::select(is_near, near_zero, far), x);
}

OPWRIGHT_INLINE double erf(double x) { return __builtin_erf(x); }
OPWRIGHT_INLINE float erf(float x) {
  const float magnitude = detail::absolute(x);
  const float far = 1.0f - detail::erfc_of_positive(magnitude);
  const uint32_t is_near = detail::mask_if(magnitude < 1.0f);
  return detail::with_sign_of(detail::select(is_near, detail::erf_near_zero(magnitude), far), x);
}

OPWRIGHT_INLINE double erfc(double x) { return __builtin_erfc(x); }
OPWRIGHT_INLINE float erfc(float x) {
  const float tail = detail::erfc_of_positive(detail::absolute(x));
  const float far = detail::select(detail::mask_if_negative(x), 2.0f - tail, tail);
  const uint32_t is_near = detail::mask_if(detail::absolute(x) < 0.5f);
  return detail::select(is_near, 1.0f - detail::erf_near_zero(x), far);
}

// 1 / (1 + exp(-x))
template <typename F>
OPWRIGHT_INLINE F sigmoid(F x) {
  return F(1) / (F(1) + exp(-x));
}

// x * sigmoid(x), also known as swish
OPWRIGHT_INLINE double silu(double x) { return x / (1.0 + exp(-x)); }
OPWRIGHT_INLINE float silu(float x) { return x / (1.0f + detail::exp_beside_one(-x)); }

// d silu(x) / dx
template <typename F>
OPWRIGHT_INLINE F silu_slope(F x) {
  const F s = sigmoid(x);
  return s * (F(1) + x * (F(1) - s));
}

// The tanh form of GELU, 0.5 * x * (1 + tanh(u)) with u = sqrt(2 / pi) * (x + 0.044715 * x^3),
// as x * sigmoid(2 * u), which cancels nowhere.
OPWRIGHT_INLINE double gelu_tanh(double x) {
  const double two_u = x * (1.5957691216057308 + 1.5957691216057308 * 0.044715 * (x * x));
  return x / (1.0 + exp(-two_u));
}
OPWRIGHT_INLINE float gelu_tanh(float x) {
  const float minus_two_u = x * (-1.59576912f - 0.0713548163f * (x * x));
  return x / (1.0f + detail::exp_beside_one(minus_two_u));
}

// GELU proper: x times the normal distribution function at x
OPWRIGHT_INLINE double gelu_erf(double x) {
  return 0.5 * x * __builtin_erfc(-0.7071067811865476 * x);
}
OPWRIGHT_INLINE float gelu_erf(float x) {
  const float t = detail::at_most(detail::absolute(x), 13.265f);  // exp(-t^2 / 2) is 0 there
  const float tail = detail::scaled_normal_tail(t) * detail::exp_of_minus_square(t, 0.5f);
  return x * detail::select(detail::mask_if_negative(x), tail, 1.0f - tail);
}

// d gelu_tanh(x) / dx, with s = sigmoid(v) and v = 2 * u: s + x * s * (1 - s) * dv/dx, where 1 - s
// is sigmoid(-v), which cancels nowhere.
template <typename F>
OPWRIGHT_INLINE F gelu_tanh_slope(F x) {
  const F k = F(1.5957691216057308), square = x * x;
  const F v = k * x * (F(1) + F(0.044715) * square), s = sigmoid(v);
  return s + x * s * sigmoid(-v) * k * (F(1) + F(0.134145) * square);
}

// d gelu_erf(x) / dx: the normal distribution at x, and x times its density
template <typename F>
OPWRIGHT_INLINE F gelu_erf_slope(F x) {
  const F density = F(0.3989422804014327) * exp(F(-0.5) * x * x);
  return F(0.5) * erfc(F(-0.7071067811865476) * x) + x * density;
}

}  // namespace opwright
