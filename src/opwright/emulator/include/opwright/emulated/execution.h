// Small things that a thread does: it stops its kernel, waits, or looks at the clock.
#pragma once

#include "errors.h"
#include "here.h"

OPWRIGHT_EMULATED_HIDDEN void __trap(const char* file = __builtin_FILE(),
                                     int line = __builtin_LINE()) {
  ::opwright::emulated::stop_kernel(file, line);
}
inline void __nanosleep(unsigned) {}
inline void __builtin_assume(bool) {}

// The order of things, not their duration.
OPWRIGHT_EMULATED_HIDDEN long long clock64() {
  static long long ticks = 0;
  return __atomic_add_fetch(&ticks, 1, __ATOMIC_RELAXED);
}
