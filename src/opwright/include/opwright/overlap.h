// Which elements of strided tensors share memory, told from sizes and strides alone.
#pragma once

#include <stdint.h>

#include <initializer_list>

#include "binding_types.h"

namespace opwright {
namespace binding {

// The dimensions that step anywhere, by stride, smallest first.
class Steps {
 public:
  Steps(const int64_t* sizes, const int64_t* strides, int64_t dim) {
    for (int64_t d = 0; d < dim && count_ < kMostDimensions; ++d) {
      if (sizes[d] <= 1) continue;
      int at = count_++;
      for (; at > 0 && strides_[at - 1] > strides[d]; --at) {
        sizes_[at] = sizes_[at - 1];
        strides_[at] = strides_[at - 1];
      }
      sizes_[at] = sizes[d];
      strides_[at] = strides[d];
    }
    int64_t extent = 0;
    for (int k = 0; k < count_; ++k) {
      nested_ = nested_ && strides_[k] > extent;
      extent += (sizes_[k] - 1) * strides_[k];
    }
  }

  // Each dimension steps over everything that the smaller ones reach, so no element is reached
  // twice.
  bool nested() const { return nested_; }

  // Whether two elements of a nested layout are `distance` elements apart.
  bool hold(int64_t distance) const { return hold(distance, count_ - 1); }

 private:
  bool hold(int64_t distance, int k) const {
    if (k < 0) return distance == 0;
    const int64_t toward_zero = distance / strides_[k];
    for (const int64_t steps : {toward_zero, toward_zero + (distance < 0 ? -1 : 1)})
      if (-sizes_[k] < steps && steps < sizes_[k] && hold(distance - steps * strides_[k], k - 1))
        return true;
    return false;
  }

  int64_t sizes_[kMostDimensions];
  int64_t strides_[kMostDimensions];
  int count_ = 0;
  bool nested_ = true;
};

}  // namespace binding
}  // namespace opwright
