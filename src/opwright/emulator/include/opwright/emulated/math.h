// Mathematical functions that a device has and the host's C library lacks, and the fast ones.
//
// The fast ones are as inexact as a device's: through a power or a logarithm of 2, or a fraction of
// a turn, in single precision.
#pragma once

#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "here.h"
#include "intrinsics.h"

#define OPWRIGHT_MINMAX(A, B, R)                                                          \
  inline R min(A a, B b) {                                                                \
    return static_cast<R>(a) < static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }                                                                                       \
  inline R max(A a, B b) {                                                                \
    return static_cast<R>(a) > static_cast<R>(b) ? static_cast<R>(a) : static_cast<R>(b); \
  }
OPWRIGHT_MINMAX(int, int, int)
OPWRIGHT_MINMAX(unsigned, unsigned, unsigned)
OPWRIGHT_MINMAX(int, unsigned, unsigned)
OPWRIGHT_MINMAX(unsigned, int, unsigned)
OPWRIGHT_MINMAX(long, long, long)
OPWRIGHT_MINMAX(unsigned long, unsigned long, unsigned long)
OPWRIGHT_MINMAX(long, unsigned long, unsigned long)
OPWRIGHT_MINMAX(unsigned long, long, unsigned long)
OPWRIGHT_MINMAX(long long, long long, long long)
OPWRIGHT_MINMAX(unsigned long long, unsigned long long, unsigned long long)
OPWRIGHT_MINMAX(long long, unsigned long long, unsigned long long)
OPWRIGHT_MINMAX(unsigned long long, long long, unsigned long long)
#undef OPWRIGHT_MINMAX

// A NaN loses against a number.
inline float min(float a, float b) { return fminf(a, b); }
inline float max(float a, float b) { return fmaxf(a, b); }
inline double min(double a, double b) { return fmin(a, b); }
inline double max(double a, double b) { return fmax(a, b); }
inline double min(float a, double b) { return fmin(a, b); }
inline double max(float a, double b) { return fmax(a, b); }
inline double min(double a, float b) { return fmin(a, b); }
inline double max(double a, float b) { return fmax(a, b); }

inline double rsqrt(double v) { return 1.0 / sqrt(v); }
inline float rsqrtf(float v) { return float(1.0 / sqrt(double(v))); }
inline float rsqrt(float v) { return rsqrtf(v); }
inline float rcbrtf(float v) { return float(1.0 / cbrt(double(v))); }
inline double rcbrt(double v) { return 1.0 / cbrt(v); }
inline float fdividef(float a, float b) { return a / b; }
inline double sinpi(double v) { return sin(M_PI * fmod(v, 2.0)); }
inline double cospi(double v) { return cos(M_PI * fmod(v, 2.0)); }
inline float sinpif(float v) { return float(sinpi(v)); }
inline float cospif(float v) { return float(cospi(v)); }
inline double normcdf(double v) { return 0.5 * erfc(-v * M_SQRT1_2); }
inline float normcdff(float v) { return float(normcdf(v)); }
inline double erfcx(double v) { return exp(v * v) * erfc(v); }
inline float erfcxf(float v) { return float(erfcx(v)); }
inline float rhypotf(float a, float b) { return float(1.0 / hypot(double(a), double(b))); }
inline float norm3df(float a, float b, float c) { return hypotf(hypotf(a, b), c); }
inline float __saturatef(float v) { return v == v ? fminf(fmaxf(v, 0.0f), 1.0f) : 0.0f; }

inline float __exp2f(float v) { return exp2f(v); }
inline float __expf(float v) { return exp2f(v * 1.4426950408889634f); }
inline float __exp10f(float v) { return exp2f(v * 3.3219280948873623f); }
inline float __log2f(float v) { return log2f(v); }
inline float __logf(float v) { return log2f(v) * 0.6931471805599453f; }
inline float __log10f(float v) { return log2f(v) * 0.3010299956639812f; }
inline float __powf(float a, float b) { return exp2f(b * log2f(a)); }
inline float __tanhf(float v) { return tanhf(v); }
inline float __frcp(float v) { return 1.0f / v; }
// 0 where the divisor's reciprocal is subnormal.
inline float __fdividef(float a, float b) {
  const float size = fabsf(b);
  if (size > 0x1p126f && size < INFINITY) return isinf(a) ? NAN : 0.0f * a;
  return a / b;
}

namespace opwright {
namespace emulated {
// Turns of the angle, without the whole ones.
inline double turn(float radians) {
  const float turns = radians * 0.15915494309189535f;
  return turns - floorf(turns);
}
}  // namespace emulated
}  // namespace opwright

inline float __sinf(float v) { return float(sin(2 * M_PI * ::opwright::emulated::turn(v))); }
inline float __cosf(float v) { return float(cos(2 * M_PI * ::opwright::emulated::turn(v))); }
inline float __tanf(float v) { return __sinf(v) / __cosf(v); }
inline void __sincosf(float v, float* sine, float* cosine) {
  *sine = __sinf(v);
  *cosine = __cosf(v);
}
inline void sincospif(float v, float* sine, float* cosine) {
  *sine = sinpif(v);
  *cosine = cospif(v);
}

// Rounded to nearest, and never contracted with what follows.
inline float __fadd_rn(float a, float b) { return a + b; }
inline float __fsub_rn(float a, float b) { return a - b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fdiv_rn(float a, float b) { return a / b; }
inline float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
inline float __frcp_rn(float v) { return 1.0f / v; }
inline float __fsqrt_rn(float v) { return sqrtf(v); }
inline float __frsqrt_rn(float v) { return rsqrtf(v); }
inline double __dadd_rn(double a, double b) { return a + b; }
inline double __dsub_rn(double a, double b) { return a - b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __ddiv_rn(double a, double b) { return a / b; }
inline double __drcp_rn(double v) { return 1.0 / v; }
inline double __dsqrt_rn(double v) { return sqrt(v); }
inline double __fma_rn(double a, double b, double c) { return fma(a, b, c); }

namespace opwright {
namespace emulated {
// What does not fit becomes the nearest value that does, and NaN becomes 0.
template <typename T>
T converted(double v) {
  if (v != v) return 0;
  const T least = T(-1) < 0 ? T(uint64_t{1} << (8 * sizeof(T) - 1)) : T(0);
  const T most = T(~least);
  if (v <= double(least)) return least;
  if (v >= double(most)) return most;
  return T(v);
}
}  // namespace emulated
}  // namespace opwright

#define OPWRIGHT_TO_INTEGER(T, from, F, to)                      \
  inline T __##from##2##to##_rn(F v) {                           \
    return ::opwright::emulated::converted<T>(rint(double(v)));  \
  }                                                              \
  inline T __##from##2##to##_rz(F v) {                           \
    return ::opwright::emulated::converted<T>(trunc(double(v))); \
  }                                                              \
  inline T __##from##2##to##_ru(F v) {                           \
    return ::opwright::emulated::converted<T>(ceil(double(v)));  \
  }                                                              \
  inline T __##from##2##to##_rd(F v) {                           \
    return ::opwright::emulated::converted<T>(floor(double(v))); \
  }                                                              \
  inline F __##to##2##from##_rn(T v) { return F(v); }
OPWRIGHT_TO_INTEGER(int, float, float, int)
OPWRIGHT_TO_INTEGER(unsigned, float, float, uint)
OPWRIGHT_TO_INTEGER(long long, float, float, ll)
OPWRIGHT_TO_INTEGER(unsigned long long, float, float, ull)
OPWRIGHT_TO_INTEGER(int, double, double, int)
OPWRIGHT_TO_INTEGER(unsigned, double, double, uint)
OPWRIGHT_TO_INTEGER(long long, double, double, ll)
OPWRIGHT_TO_INTEGER(unsigned long long, double, double, ull)
#undef OPWRIGHT_TO_INTEGER

inline float __double2float_rn(double v) { return float(v); }

#ifndef CUDART_INF_F
#define CUDART_INF_F __builtin_inff()
#define CUDART_INF __builtin_inf()
#define CUDART_NAN_F __builtin_nanf("")
#define CUDART_NAN __builtin_nan("")
#define CUDART_MAX_NORMAL_F 3.402823466e38f
#define CUDART_PI_F 3.141592654f
#define CUDART_PI 3.1415926535897931e+0
#define CUDART_SQRT_TWO_F 1.414213562f
#define CUDART_L2E_F 1.442695041f
#define CUDART_LN2_F 0.693147181f
#endif
