// __half and __half2.
#pragma once

#include "small_float.h"

OPWRIGHT_SMALL_FLOAT(__half, __half2, ::opwright::float16)

#ifndef OPWRIGHT_EMULATED_NO_HALF_NAMES
typedef __half half;
typedef __half2 half2;
#endif

struct __half_raw {
  unsigned short x;
  operator __half() const { return ::opwright::detail::bit_cast<__half>(x); }
};

inline __half __float2half(float v) { return __half(v); }
inline __half __float2half_rn(float v) { return __half(v); }
inline __half __double2half(double v) { return __half(v); }
inline float __half2float(__half v) { return float(v); }
inline __half2 __float2half2_rn(float v) { return {__half(v), __half(v)}; }
inline __half2 __floats2half2_rn(float x, float y) { return {__half(x), __half(y)}; }
inline __half2 __float22half2_rn(float2 v) { return {__half(v.x), __half(v.y)}; }
inline float2 __half22float2(__half2 v) { return {float(v.x), float(v.y)}; }
inline __half2 __half2half2(__half v) { return {v, v}; }
inline __half2 __halves2half2(__half x, __half y) { return {x, y}; }
inline __half2 make_half2(__half x, __half y) { return {x, y}; }
inline __half __low2half(__half2 v) { return v.x; }
inline __half __high2half(__half2 v) { return v.y; }
inline __half2 __low2half2(__half2 v) { return {v.x, v.x}; }
inline __half2 __high2half2(__half2 v) { return {v.y, v.y}; }
inline __half2 __lowhigh2highlow(__half2 v) { return {v.y, v.x}; }
inline unsigned short __half_as_ushort(__half v) { return v.__x; }
inline short __half_as_short(__half v) { return short(v.__x); }
inline __half __ushort_as_half(unsigned short v) { return ::opwright::detail::bit_cast<__half>(v); }
inline __half __short_as_half(short v) { return ::opwright::detail::bit_cast<__half>(v); }
inline __half __int2half_rn(int v) { return __half(v); }
inline __half __uint2half_rn(unsigned v) { return __half(v); }
inline __half __ll2half_rn(long long v) { return __half(v); }
inline int __half2int_rn(__half v) { return int(rintf(float(v))); }
inline int __half2int_rz(__half v) { return int(float(v)); }
inline unsigned __half2uint_rz(__half v) { return unsigned(float(v)); }
