// Arithmetic on sizes in a binding.
#pragma once

#include <stdint.h>

#include "refusal.h"

namespace opwright {
namespace binding {

// Arithmetic on sizes as Python does it, except that what does not fit 64 bits is refused.
class Exact {
 public:
  explicit Exact(const char* op) : op_(op) {}

  int64_t plus(int64_t a, int64_t b) const {
    int64_t result;
    return __builtin_add_overflow(a, b, &result) ? refuse("too large", a, "+", b) : result;
  }
  int64_t minus(int64_t a, int64_t b) const {
    int64_t result;
    return __builtin_sub_overflow(a, b, &result) ? refuse("too large", a, "-", b) : result;
  }
  int64_t times(int64_t a, int64_t b) const {
    int64_t result;
    return __builtin_mul_overflow(a, b, &result) ? refuse("too large", a, "*", b) : result;
  }
  int64_t floor_divided(int64_t a, int64_t b) const {
    if (b == 0) return refuse("not defined", a, "//", b);
    if (b == -1) return minus(0, a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  }
  int64_t modulo(int64_t a, int64_t b) const {
    if (b == 0) return refuse("not defined", a, "%", b);
    if (b == -1) return 0;
    return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
  }

 private:
  [[noreturn]] int64_t refuse(const char* why, int64_t a, const char* sign, int64_t b) const {
    throw Refusal(Message().add("%s: a size is %s: %lld %s %lld", op_, why,
                                static_cast<long long>(a), sign, static_cast<long long>(b)));
  }

  const char* op_;
};

}  // namespace binding
}  // namespace opwright
