// Barriers of a block.
#pragma once

#include "here.h"

namespace opwright {
namespace emulated {

// Waits for every thread of the block. Returns how many came with a true predicate.
int wait_for_block(bool predicate, const char* file, int line);

}  // namespace emulated
}  // namespace opwright

OPWRIGHT_EMULATED_HIDDEN void __syncthreads(const char* file = __builtin_FILE(),
                                            int line = __builtin_LINE()) {
  ::opwright::emulated::wait_for_block(false, file, line);
}
OPWRIGHT_EMULATED_HIDDEN int __syncthreads_count(int predicate, const char* file = __builtin_FILE(),
                                                 int line = __builtin_LINE()) {
  return ::opwright::emulated::wait_for_block(predicate != 0, file, line);
}
OPWRIGHT_EMULATED_HIDDEN int __syncthreads_or(int predicate, const char* file = __builtin_FILE(),
                                              int line = __builtin_LINE()) {
  return ::opwright::emulated::wait_for_block(predicate != 0, file, line) != 0;
}
OPWRIGHT_EMULATED_HIDDEN int __syncthreads_and(int predicate, const char* file = __builtin_FILE(),
                                               int line = __builtin_LINE()) {
  return ::opwright::emulated::wait_for_block(predicate == 0, file, line) == 0;
}
