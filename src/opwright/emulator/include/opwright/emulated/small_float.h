// What the 16-bit floating-point types have in common: arithmetic in float, rounded once.
#pragma once

#include <math.h>
#include <opwright/dtype.h>

#include "vectors.h"

namespace opwright {
namespace emulated {

// A double as a float that rounds to the same 16-bit number: what is lost is kept in the last
// bit.
inline float odd_float(double v) {
  const float nearest = float(v);
  if (double(nearest) == v || v != v) return nearest;
  uint32_t bits = detail::bit_cast<uint32_t>(nearest);
  if (fabs(double(nearest)) > fabs(v)) --bits;
  return detail::bit_cast<float>(bits | 1);
}

}  // namespace emulated
}  // namespace opwright

// The members of the type T with 16 bits, and T2, two of them. `toward`: bits of a float.
#define OPWRIGHT_SMALL_FLOAT(T, T2, Raw)                                                         \
  struct alignas(2) T {                                                                          \
    uint16_t __x;                                                                                \
    T() = default;                                                                               \
    T(float v) : __x(Raw(v).bits) {}                                                             \
    T(double v) : T(::opwright::emulated::odd_float(v)) {}                                       \
    T(int v) : T(double(v)) {}                                                                   \
    T(unsigned v) : T(double(v)) {}                                                              \
    T(long v) : T(double(v)) {}                                                                  \
    T(unsigned long v) : T(double(v)) {}                                                         \
    T(long long v) : T(double(v)) {}                                                             \
    T(unsigned long long v) : T(double(v)) {}                                                    \
    T(Raw v) : __x(v.bits) {}                                                                    \
    operator float() const { return float(::opwright::detail::bit_cast<Raw>(__x)); }             \
    T& operator+=(T b) { return *this = T(float(*this) + float(b)); }                            \
    T& operator-=(T b) { return *this = T(float(*this) - float(b)); }                            \
    T& operator*=(T b) { return *this = T(float(*this) * float(b)); }                            \
    T& operator/=(T b) { return *this = T(float(*this) / float(b)); }                            \
  };                                                                                             \
  struct alignas(4) T2 {                                                                         \
    T x, y;                                                                                      \
    T2() = default;                                                                              \
    T2(T x, T y) : x(x), y(y) {}                                                                 \
  };                                                                                             \
  inline T operator+(T a, T b) { return a += b; }                                                \
  inline T operator-(T a, T b) { return a -= b; }                                                \
  inline T operator*(T a, T b) { return a *= b; }                                                \
  inline T operator/(T a, T b) { return a /= b; }                                                \
  inline T operator-(T a) { return T(-float(a)); }                                               \
  inline bool operator==(T a, T b) { return float(a) == float(b); }                              \
  inline bool operator!=(T a, T b) { return float(a) != float(b); }                              \
  inline bool operator<(T a, T b) { return float(a) < float(b); }                                \
  inline bool operator<=(T a, T b) { return float(a) <= float(b); }                              \
  inline bool operator>(T a, T b) { return float(a) > float(b); }                                \
  inline bool operator>=(T a, T b) { return float(a) >= float(b); }                              \
  inline T2 operator+(T2 a, T2 b) { return {a.x + b.x, a.y + b.y}; }                             \
  inline T2 operator-(T2 a, T2 b) { return {a.x - b.x, a.y - b.y}; }                             \
  inline T2 operator*(T2 a, T2 b) { return {a.x * b.x, a.y * b.y}; }                             \
  inline T2 operator/(T2 a, T2 b) { return {a.x / b.x, a.y / b.y}; }                             \
  inline T __hadd(T a, T b) { return a + b; }                                                    \
  inline T __hsub(T a, T b) { return a - b; }                                                    \
  inline T __hmul(T a, T b) { return a * b; }                                                    \
  inline T __hdiv(T a, T b) { return a / b; }                                                    \
  inline T __hadd_rn(T a, T b) { return a + b; }                                                 \
  inline T __hmul_rn(T a, T b) { return a * b; }                                                 \
  inline T __hneg(T a) { return -a; }                                                            \
  inline T __habs(T a) { return T(fabsf(float(a))); }                                            \
  inline T __hfma(T a, T b, T c) {                                                               \
    return T(double(float(a)) * double(float(b)) + double(float(c)));                            \
  }                                                                                              \
  inline T __hmax(T a, T b) { return T(fmaxf(float(a), float(b))); }                             \
  inline T __hmin(T a, T b) { return T(fminf(float(a), float(b))); }                             \
  inline bool __heq(T a, T b) { return a == b; }                                                 \
  inline bool __hne(T a, T b) { return a != b; }                                                 \
  inline bool __hlt(T a, T b) { return a < b; }                                                  \
  inline bool __hle(T a, T b) { return a <= b; }                                                 \
  inline bool __hgt(T a, T b) { return a > b; }                                                  \
  inline bool __hge(T a, T b) { return a >= b; }                                                 \
  inline bool __hisnan(T a) { return isnan(float(a)); }                                          \
  inline int __hisinf(T a) { return isinf(float(a)) ? (a.__x & 0x8000 ? -1 : 1) : 0; }           \
  inline T2 __hadd2(T2 a, T2 b) { return a + b; }                                                \
  inline T2 __hsub2(T2 a, T2 b) { return a - b; }                                                \
  inline T2 __hmul2(T2 a, T2 b) { return a * b; }                                                \
  inline T2 __h2div(T2 a, T2 b) { return a / b; }                                                \
  inline T2 __hneg2(T2 a) { return {-a.x, -a.y}; }                                               \
  inline T2 __habs2(T2 a) { return {__habs(a.x), __habs(a.y)}; }                                 \
  inline T2 __hfma2(T2 a, T2 b, T2 c) { return {__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)}; } \
  inline T2 __hmax2(T2 a, T2 b) { return {__hmax(a.x, b.x), __hmax(a.y, b.y)}; }                 \
  inline T2 __hmin2(T2 a, T2 b) { return {__hmin(a.x, b.x), __hmin(a.y, b.y)}; }                 \
  inline float __low2float(T2 a) { return float(a.x); }                                          \
  inline float __high2float(T2 a) { return float(a.y); }                                         \
  OPWRIGHT_SMALL_FUNCTION(T, T2, exp, expf(v))                                                   \
  OPWRIGHT_SMALL_FUNCTION(T, T2, exp2, exp2f(v))                                                 \
  OPWRIGHT_SMALL_FUNCTION(T, T2, log, logf(v))                                                   \
  OPWRIGHT_SMALL_FUNCTION(T, T2, log2, log2f(v))                                                 \
  OPWRIGHT_SMALL_FUNCTION(T, T2, log10, log10f(v))                                               \
  OPWRIGHT_SMALL_FUNCTION(T, T2, sqrt, sqrtf(v))                                                 \
  OPWRIGHT_SMALL_FUNCTION(T, T2, rsqrt, float(1.0 / ::sqrt(double(v))))                          \
  OPWRIGHT_SMALL_FUNCTION(T, T2, rcp, 1.0f / v)                                                  \
  OPWRIGHT_SMALL_FUNCTION(T, T2, sin, sinf(v))                                                   \
  OPWRIGHT_SMALL_FUNCTION(T, T2, cos, cosf(v))                                                   \
  OPWRIGHT_SMALL_FUNCTION(T, T2, tanh, tanhf(v))                                                 \
  OPWRIGHT_SMALL_FUNCTION(T, T2, floor, floorf(v))                                               \
  OPWRIGHT_SMALL_FUNCTION(T, T2, ceil, ceilf(v))                                                 \
  OPWRIGHT_SMALL_FUNCTION(T, T2, trunc, truncf(v))                                               \
  OPWRIGHT_SMALL_FUNCTION(T, T2, rint, rintf(v))

#define OPWRIGHT_SMALL_FUNCTION(T, T2, name, expression) \
  inline T h##name(T a) {                                \
    const float v = float(a);                            \
    return T(expression);                                \
  }                                                      \
  inline T2 h2##name(T2 a) { return {h##name(a.x), h##name(a.y)}; }
