// What a generated binding does for a launcher that the emulator runs.
#pragma once

#include <cstdio>

#include <opwright/emulated/control.h>

#include "stream.h"

namespace opwright {
namespace binding {

// The stream that work belongs on: not the default one, so that a launch on that is noticed.
inline Stream current_stream(const Tensor&) {
  static char place;
  static const bool told = [] {
    char text[32];
    std::snprintf(text, sizeof(text), "%p", static_cast<void*>(&place));
    return opwright_emulated_set("stream", text) == 0;
  }();
  return told ? reinterpret_cast<Stream>(&place) : nullptr;
}

inline constexpr int kDtypeBytes[kDtypeCount + 1] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1, 8, 16, 1};

// A tensor of this call. Kernels may access such memory, and nothing else.
class Region {
 public:
  Region(const Tensor& tensor, const char* name) {
    if (!tensor || numel(tensor) == 0) return;
    int64_t elements = 1;
    for (int64_t d = 0; d < tensor.dim(); ++d)
      elements += (tensor.sizes()[d] - 1) * tensor.strides()[d];
    begin_ = tensor.data();
    size_bytes_ = elements * kDtypeBytes[static_cast<int>(tensor.dtype())];
    opwright_emulated_region(begin_, size_bytes_, name);
  }
  ~Region() {
    if (begin_) opwright_emulated_leave_region(begin_, size_bytes_);
  }
  Region(const Region&) = delete;
  Region& operator=(const Region&) = delete;

 private:
  const void* begin_ = nullptr;
  size_t size_bytes_ = 0;
};

}  // namespace binding
}  // namespace opwright
