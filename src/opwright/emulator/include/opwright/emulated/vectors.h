// float2, int4, dim3 and their like, with the sizes and alignments they have on a device.
#pragma once

#include "qualifiers.h"

#define OPWRIGHT_VECTORS(name, T, align2, align4)                       \
  struct name##1 { T x; };                                              \
  struct alignas(align2) name##2 { T x, y; };                           \
  struct name##3 { T x, y, z; };                                        \
  struct alignas(align4) name##4 { T x, y, z, w; };                     \
  constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

OPWRIGHT_VECTORS(char, signed char, 2, 4)
OPWRIGHT_VECTORS(uchar, unsigned char, 2, 4)
OPWRIGHT_VECTORS(short, short, 4, 8)
OPWRIGHT_VECTORS(ushort, unsigned short, 4, 8)
OPWRIGHT_VECTORS(int, int, 8, 16)
OPWRIGHT_VECTORS(uint, unsigned, 8, 16)
OPWRIGHT_VECTORS(long, long, 16, 16)
OPWRIGHT_VECTORS(ulong, unsigned long, 16, 16)
OPWRIGHT_VECTORS(longlong, long long, 16, 16)
OPWRIGHT_VECTORS(ulonglong, unsigned long long, 16, 16)
OPWRIGHT_VECTORS(float, float, 8, 16)
OPWRIGHT_VECTORS(double, double, 16, 16)
#undef OPWRIGHT_VECTORS

struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
