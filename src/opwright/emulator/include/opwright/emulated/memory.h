// Loads and stores with a hint for the caches, which change nothing here. Always inlined: the
// access is the kernel's.
#pragma once

#include "here.h"

#define OPWRIGHT_LOAD(name)                     \
  template <typename T>                         \
  OPWRIGHT_EMULATED_INLINE T name(const T* p) { \
    return *p;                                  \
  }
#define OPWRIGHT_STORE(name)                             \
  template <typename T>                                  \
  OPWRIGHT_EMULATED_INLINE void name(T* p, const T& v) { \
    *p = v;                                              \
  }

OPWRIGHT_LOAD(__ldg)
OPWRIGHT_LOAD(__ldca)
OPWRIGHT_LOAD(__ldcg)
OPWRIGHT_LOAD(__ldcs)
OPWRIGHT_LOAD(__ldlu)
OPWRIGHT_LOAD(__ldcv)
OPWRIGHT_LOAD(__builtin_nontemporal_load)  // clang's, for AMD chips
OPWRIGHT_STORE(__stwb)
OPWRIGHT_STORE(__stcg)
OPWRIGHT_STORE(__stcs)
OPWRIGHT_STORE(__stwt)
#undef OPWRIGHT_LOAD
#undef OPWRIGHT_STORE

template <typename T>
OPWRIGHT_EMULATED_INLINE void __builtin_nontemporal_store(const T& v, T* p) {
  *p = v;
}
