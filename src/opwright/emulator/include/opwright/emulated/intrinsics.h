// Integer intrinsics, and values reinterpreted as others.
#pragma once

#include <stdint.h>
#include <string.h>

#include "qualifiers.h"

inline int __popc(unsigned v) { return __builtin_popcount(v); }
inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
inline int __clz(int v) { return v ? __builtin_clz(unsigned(v)) : 32; }
inline int __clzll(long long v) { return v ? __builtin_clzll((unsigned long long)(v)) : 64; }
inline int __ffs(int v) { return __builtin_ffs(v); }
inline int __ffsll(long long v) { return __builtin_ffsll(v); }
#if OPWRIGHT_WAVE_SIZE == 64 || defined(OPWRIGHT_EMULATED_HIP)
inline int __ffs(unsigned long long v) { return __builtin_ffsll((long long)(v)); }  // of a ballot
#endif

inline unsigned long long __brevll(unsigned long long v) {
  unsigned long long reversed = 0;
  for (int i = 0; i < 64; ++i) reversed |= (v >> i & 1) << (63 - i);
  return reversed;
}
inline unsigned __brev(unsigned v) { return unsigned(__brevll(v) >> 32); }

inline unsigned __umulhi(unsigned a, unsigned b) { return unsigned(uint64_t(a) * b >> 32); }
inline int __mulhi(int a, int b) { return int(int64_t(a) * b >> 32); }
inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)((unsigned __int128)(a)*b >> 64);
}
inline long long __mul64hi(long long a, long long b) { return (long long)((__int128)(a)*b >> 64); }
inline unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
inline int __mul24(int a, int b) {
  const int64_t left = int64_t(uint64_t(a) << 40) >> 40, right = int64_t(uint64_t(b) << 40) >> 40;
  return int(unsigned(left * right));
}
inline unsigned __usad(unsigned a, unsigned b, unsigned c) { return c + (a > b ? a - b : b - a); }
inline unsigned __sad(int a, int b, unsigned c) {
  return c + (a > b ? unsigned(a) - unsigned(b) : unsigned(b) - unsigned(a));
}
inline int __hadd(int a, int b) { return int((int64_t(a) + b) >> 1); }
inline int __rhadd(int a, int b) { return int((int64_t(a) + b + 1) >> 1); }
inline unsigned __uhadd(unsigned a, unsigned b) { return unsigned((uint64_t(a) + b) >> 1); }

inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return unsigned(((uint64_t(high) << 32 | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return unsigned((uint64_t(high) << 32 | low) >> (shift & 31));
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned selector) {
  const uint64_t bytes = uint64_t(b) << 32 | a;
  unsigned result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = selector >> (4 * i) & 15;
    unsigned byte = unsigned(bytes >> (8 * (choice & 7))) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;  // its sign, eight times
    result |= byte << (8 * i);
  }
  return result;
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) c += int(int8_t(a >> (8 * i))) * int8_t(b >> (8 * i));
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 4; ++i) c += (a >> (8 * i) & 0xff) * (b >> (8 * i) & 0xff);
  return c;
}

#define OPWRIGHT_REINTERPRET(name, To, From)                    \
  inline To name(From from) {                                   \
    static_assert(sizeof(To) == sizeof(From), "the same bits"); \
    To to;                                                      \
    memcpy(&to, &from, sizeof(to));                             \
    return to;                                                  \
  }
OPWRIGHT_REINTERPRET(__float_as_int, int, float)
OPWRIGHT_REINTERPRET(__float_as_uint, unsigned, float)
OPWRIGHT_REINTERPRET(__int_as_float, float, int)
OPWRIGHT_REINTERPRET(__uint_as_float, float, unsigned)
OPWRIGHT_REINTERPRET(__double_as_longlong, long long, double)
OPWRIGHT_REINTERPRET(__longlong_as_double, double, long long)
#undef OPWRIGHT_REINTERPRET

inline int __double2hiint(double v) { return int(__double_as_longlong(v) >> 32); }
inline int __double2loint(double v) { return int(__double_as_longlong(v)); }
inline double __hiloint2double(int high, int low) {
  return __longlong_as_double((long long)(uint64_t(uint32_t(high)) << 32 | uint32_t(low)));
}
