// A scalar argument that may be None. Unlike std::optional it can be passed to a device kernel.
#pragma once

#include "target.h"

namespace opwright {

template <typename T>
struct Optional {
  T value = T();
  bool present = false;

  OPWRIGHT_INLINE explicit operator bool() const { return present; }
  OPWRIGHT_INLINE const T& operator*() const { return value; }
  OPWRIGHT_INLINE T value_or(T fallback) const { return present ? value : fallback; }
};

}  // namespace opwright
