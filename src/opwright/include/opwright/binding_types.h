// The dtypes that a binding knows, under numbers of its own.
#pragma once

namespace opwright {
namespace binding {

enum class DType {
  float64,
  float32,
  bfloat16,
  float16,
  int64,
  int32,
  int16,
  int8,
  uint8,
  boolean,
  complex64,
  complex128,
  other,
};

inline constexpr int kDtypeCount = static_cast<int>(DType::other);

inline constexpr const char* kDtypeNames[kDtypeCount + 1] = {
    "float64", "float32", "bfloat16", "float16",   "int64",      "int32",         "int16",
    "int8",    "uint8",   "bool",     "complex64", "complex128", "another dtype",
};

// PyTorch's own iterators stop here, too.
inline constexpr int kMostDimensions = 64;

}  // namespace binding
}  // namespace opwright
