// What a generated binding does before and after a kernel, whichever PyTorch ABI lies beneath:
// binding_stable.h or binding_aten.h, included first, gives Tensor, Text, Stack, empty() and copy_dense().
//
// Every message has the form "bias_gelu: argument `bias`: expected ..., got ...".
#pragma once

#include <cstring>
#include <initializer_list>
#include <stdexcept>
#include <string>

#include "optional.h"
#include "view.h"

namespace opwright {
namespace binding {

inline std::string name_of(DType dtype) { return kDtypeNames[static_cast<int>(dtype)]; }

inline int64_t numel(const Tensor& tensor) {
  int64_t product = 1;
  for (int64_t d = 0; d < tensor.dim(); ++d) product *= tensor.sizes()[d];
  return product;
}

inline std::string list_of(const int64_t* values, int64_t count) {
  std::string text = "[";
  for (int64_t i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

// A run of sizes: what a Shape of the description stands for in this call.
struct Sizes {
  const int64_t* data;
  int64_t count;

  int64_t numel() const {
    int64_t product = 1;
    for (int64_t i = 0; i < count; ++i) product *= data[i];
    return product;
  }
  bool operator==(const Sizes& other) const {
    return count == other.count &&
           (count == 0 || std::memcmp(data, other.data, count * sizeof(int64_t)) == 0);
  }
};

// An argument with its name, for checks and their messages.
class Argument {
 public:
  Argument(const char* op, const char* name, const Tensor& tensor)
      : op_(op), name_(name), tensor_(tensor) {}

  [[noreturn]] void refuse(const std::string& expected, const std::string& got) const {
    throw std::runtime_error(std::string(op_) + ": argument `" + name_ + "`: expected " + expected +
                             ", got " + got);
  }

  void device(int32_t type, const char* type_name) const {
    if (tensor_.device_type() != type)
      refuse(std::string("a tensor on ") + type_name, "one on " + device_name(tensor_));
  }

  void same_device(const Argument& other) const {
    if (tensor_.device_type() != other.tensor_.device_type() ||
        tensor_.device_index() != other.tensor_.device_index())
      refuse(std::string("the device of `") + other.name_ + "` (" + device_name(other.tensor_) + ")",
             device_name(tensor_));
  }

  void one_of(std::initializer_list<DType> allowed) const {
    std::string names;
    for (DType dtype : allowed) {
      if (tensor_.dtype() == dtype) return;
      names += (names.empty() ? "" : " or ") + name_of(dtype);
    }
    refuse("dtype " + names, name_of(tensor_.dtype()));
  }

  void same_dtype(const Argument& leader) const {
    if (tensor_.dtype() != leader.tensor_.dtype())
      refuse("dtype " + name_of(leader.tensor_.dtype()) + ", that of `" + leader.name_ + "`",
             name_of(tensor_.dtype()));
  }

  // `described` is what the description says: "(rows, hidden)".
  void rank(int64_t count, bool or_more, const char* described) const {
    const int64_t dim = tensor_.dim();
    if (or_more ? dim < count : dim != count)
      refuse(std::string(or_more ? "at least " : "") + std::to_string(count) + " dimensions " + described,
             std::to_string(dim) + " dimensions " + list_of(tensor_.sizes(), dim));
  }

  void size(int64_t dimension, int64_t expected, const char* described) const {
    const int64_t size = tensor_.sizes()[dimension];
    if (size != expected)
      refuse("size " + std::to_string(expected) + " (" + described + ") in dimension " +
                 std::to_string(dimension),
             std::to_string(size) + " in shape " + list_of(tensor_.sizes(), tensor_.dim()));
  }

  // The run of sizes from `first` on, with `behind` more sizes after it, has to be `expected`.
  void shape(int64_t first, int64_t behind, Sizes expected, const char* described) const {
    const Sizes sizes{tensor_.sizes() + first, tensor_.dim() - first - behind};
    if (!(sizes == expected))
      refuse("sizes " + list_of(expected.data, expected.count) + " (" + described + ") from dimension " +
                 std::to_string(first),
             "shape " + list_of(tensor_.sizes(), tensor_.dim()));
  }

  bool is_dense() const { return dense_strides(tensor_); }

  void dense() const {
    if (!dense_strides(tensor_))
      refuse("a contiguous tensor (call .contiguous() first, or declare another layout)", strided());
  }

  // Dimensions [first, first + count) have to be readable as one, because a kernel sees them as one.
  void collapsible(int64_t first, int64_t count) const {
    const int64_t *sizes = tensor_.sizes(), *strides = tensor_.strides();
    int64_t expected = -1;
    for (int64_t d = first + count - 1; d >= first; --d) {
      if (sizes[d] == 0) return;
      if (sizes[d] == 1) continue;
      if (expected >= 0 && strides[d] != expected)
        refuse("leading dimensions that can be read as one", strided());
      expected = strides[d] * sizes[d];
    }
  }

  // What is written must not reach one element by two ways.
  void writable() const {
    const int64_t *sizes = tensor_.sizes(), *strides = tensor_.strides();
    for (int64_t d = 0; d < tensor_.dim(); ++d)
      if (sizes[d] > 1 && strides[d] == 0)
        refuse("a tensor whose elements do not share memory, because it is written to", strided());
  }

  // What is written may be another argument, but must not overlap it in part.
  void apart_from(const Argument& other) const {
    const Tensor &a = tensor_, &b = other.tensor_;
    if (numel(a) == 0 || numel(b) == 0) return;
    const bool same = a.data() == b.data() && Sizes{a.sizes(), a.dim()} == Sizes{b.sizes(), b.dim()} &&
                      Sizes{a.strides(), a.dim()} == Sizes{b.strides(), b.dim()};
    if (same || end(a) <= begin(b) || end(b) <= begin(a)) return;
    refuse(std::string("memory that does not partly overlap `") + other.name_ + "`, because it is written to",
           "memory that does");
  }

 private:
  static const char* begin(const Tensor& tensor) { return static_cast<const char*>(tensor.data()); }
  static const char* end(const Tensor& tensor) {
    int64_t last = 0;
    for (int64_t d = 0; d < tensor.dim(); ++d) last += (tensor.sizes()[d] - 1) * tensor.strides()[d];
    return begin(tensor) + (last + 1) * tensor.element_bytes();
  }

  static bool dense_strides(const Tensor& tensor) {
    int64_t expected = 1;
    for (int64_t d = tensor.dim() - 1; d >= 0; --d) {
      const int64_t size = tensor.sizes()[d];
      if (size == 0) return true;
      if (size != 1 && tensor.strides()[d] != expected) return false;
      expected *= size;
    }
    return true;
  }

  std::string strided() const {
    return "shape " + list_of(tensor_.sizes(), tensor_.dim()) + " with strides " +
           list_of(tensor_.strides(), tensor_.dim());
  }

  const char* op_;
  const char* name_;
  const Tensor& tensor_;
};

[[noreturn]] inline void refuse_scalar(const char* op, const char* name, const std::string& expected,
                                       const std::string& got) {
  throw std::runtime_error(std::string(op) + ": argument `" + name + "`: expected " + expected + ", got " +
                           got);
}

inline void choice(const char* op, const char* name, const char* value,
                   std::initializer_list<const char*> allowed) {
  std::string names;
  for (const char* known : allowed) {
    if (std::strcmp(value, known) == 0) return;
    names += (names.empty() ? "'" : " or '") + std::string(known) + "'";
  }
  refuse_scalar(op, name, names, "'" + std::string(value) + "'");
}

// Written so that NaN is refused wherever there is a bound.
template <typename Number>
void at_least(const char* op, const char* name, Number value, double minimum) {
  if (!(value >= minimum)) refuse_scalar(op, name, "at least " + std::to_string(minimum), std::to_string(value));
}

template <typename Number>
void at_most(const char* op, const char* name, Number value, double maximum) {
  if (!(value <= maximum)) refuse_scalar(op, name, "at most " + std::to_string(maximum), std::to_string(value));
}

inline void constraint(const char* op, bool holds, const char* text, const std::string& values) {
  if (!holds) throw std::runtime_error(std::string(op) + ": expected " + text + ", got " + values);
}

// The tensor itself where it is dense, a dense copy otherwise.
inline Tensor densified(Tensor&& tensor, bool dense) {
  if (dense) return std::move(tensor);
  Tensor copied = empty(tensor.sizes(), tensor.dim(), tensor.dtype(), tensor);
  copy(copied, tensor);
  return copied;
}

// A tensor as the kernel sees it. Dimensions [first, first + count) are collapsed to one where `first`
// is not negative: the description's Shape.
template <typename T, int Rank>
View<T, Rank> view(const Tensor& tensor, int first = -1, int64_t count = 0) {
  View<T, Rank> view;
  view.data = static_cast<T*>(tensor.data());
  const int64_t *sizes = tensor.sizes(), *strides = tensor.strides();
  int64_t from = 0;
  for (int d = 0; d < Rank; ++d) {
    if (d != first) {
      view.sizes[d] = sizes[from];
      view.strides[d] = strides[from++];
      continue;
    }
    view.sizes[d] = Sizes{sizes + from, count}.numel();
    view.strides[d] = 1;
    for (int64_t k = count - 1; k >= 0; --k)  // the innermost dimension that is not trivial steps
      if (sizes[from + k] != 1) {
        view.strides[d] = strides[from + k];
        break;
      }
    from += count;
  }
  return view;
}

}  // namespace binding
}  // namespace opwright
