// What a generated binding does before and after a kernel, whichever PyTorch ABI lies beneath:
// binding_stable.h or binding_aten.h, included first, gives Tensor, Text, Stack, empty() and
// copy().
//
// Every message has the form "bias_gelu: argument `bias`: expected ..., got ...".
#pragma once

#include <cstring>
#include <initializer_list>
#include <utility>

#include "binding_types.h"
#include "exact.h"
#include "optional.h"
#include "overlap.h"
#include "refusal.h"
#include "view.h"

namespace opwright {
namespace binding {

inline const char* name_of(DType dtype) { return kDtypeNames[static_cast<int>(dtype)]; }

inline int64_t numel(const Tensor& tensor) {
  int64_t product = 1;
  for (int64_t d = 0; d < tensor.dim(); ++d) product *= tensor.sizes()[d];
  return product;
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

  void given() const {
    if (!tensor_) throw Refusal(expected().add("a tensor, got None"));
  }

  void device(int32_t type, const char* type_name) const {
    if (tensor_.device_type() == type) return;
    refuse_device(expected().add("a tensor on %s, got one on ", type_name));
  }

  void same_device(const Argument& other) const {
    if (tensor_.device_type() == other.tensor_.device_type() &&
        tensor_.device_index() == other.tensor_.device_index())
      return;
    Message message = expected().add("the device of `%s` (", other.name_);
    add_device(message, other.tensor_);
    refuse_device(message.add("), got "));
  }

  void one_of(std::initializer_list<DType> allowed) const {
    for (DType dtype : allowed)
      if (tensor_.dtype() == dtype) return;
    Message message = expected().add("dtype ");
    const char* separator = "";
    for (DType dtype : allowed) {
      message.add("%s%s", separator, name_of(dtype));
      separator = " or ";
    }
    throw Refusal(message.add(", got %s", name_of(tensor_.dtype())));
  }

  void same_dtype(const Argument& leader) const {
    if (tensor_.dtype() != leader.tensor_.dtype())
      throw Refusal(expected().add("dtype %s, that of `%s`, got %s",
                                   name_of(leader.tensor_.dtype()), leader.name_,
                                   name_of(tensor_.dtype())));
  }

  // `described` is what the description says: "(rows, hidden)".
  void rank(int64_t count, bool or_more, const char* described) const {
    const int64_t dim = tensor_.dim();
    if (dim > kMostDimensions)
      throw Refusal(
          expected().add("at most %d dimensions, got %d", kMostDimensions, static_cast<int>(dim)));
    if (or_more ? dim >= count : dim == count) return;
    refuse_shape(expected().add("%s%d dimensions %s", or_more ? "at least " : "",
                                static_cast<int>(count), described));
  }

  void size(int64_t dimension, int64_t wanted, const char* described) const {
    if (tensor_.sizes()[dimension] == wanted) return;
    refuse_shape(expected().add("size %lld (%s) in dimension %d", static_cast<long long>(wanted),
                                described, static_cast<int>(dimension)));
  }

  // The run of sizes from `first` on, with `behind` more sizes after it, has to be `wanted`.
  void shape(int64_t first, int64_t behind, Sizes wanted, const char* described) const {
    const Sizes sizes{tensor_.sizes() + first, tensor_.dim() - first - behind};
    if (sizes == wanted) return;
    Message message = expected().add("sizes ").add_list(wanted.data, wanted.count);
    refuse_shape(message.add(" (%s) from dimension %d", described, static_cast<int>(first)));
  }

  bool is_dense() const { return dense_strides(tensor_); }

  void dense() const {
    if (!is_dense())
      refuse_strides("a contiguous tensor (call .contiguous() first, or declare another layout)");
  }

  // Dimensions [first, first + count) have to be readable as one, because a kernel sees them as
  // one.
  void collapsible(int64_t first, int64_t count) const {
    const int64_t *sizes = tensor_.sizes(), *strides = tensor_.strides();
    int64_t step = -1;
    for (int64_t d = first + count - 1; d >= first; --d) {
      if (sizes[d] == 0) return;
      if (sizes[d] == 1) continue;
      if (step >= 0 && strides[d] != step) refuse_strides("dimensions that can be read as one");
      step = strides[d] * sizes[d];
    }
  }

  // What is written must not reach one element by two ways.
  void writable() const {
    if (!steps_of(tensor_).nested())
      refuse_strides("a tensor whose elements do not share memory, because it is written to");
  }

  // What is written may be another argument, but must not overlap it in part.
  void apart_from(const Argument& other) const {
    const Tensor &a = tensor_, &b = other.tensor_;
    if (numel(a) == 0 || numel(b) == 0 || end(a) <= begin(b) || end(b) <= begin(a)) return;
    if (Sizes{a.sizes(), a.dim()} == Sizes{b.sizes(), b.dim()} &&
        Sizes{a.strides(), a.dim()} == Sizes{b.strides(), b.dim()}) {
      const int64_t bytes = begin(b) - begin(a);
      if (bytes == 0) return;
      const Steps steps = steps_of(a);
      if (bytes % a.element_bytes() == 0 && steps.nested() &&
          !steps.hold(bytes / a.element_bytes()))
        return;
    }
    throw Refusal(expected().add(
        "memory that does not partly overlap `%s`, because it is written to, got memory that does",
        other.name_));
  }

  void without_gradient() const {
    if (tensor_.dtype() <= DType::float16 || tensor_.dtype() >= DType::complex64)
      if (is_recorded(tensor_))
        throw Refusal(Message().add(
            "%s: argument `%s` requires grad, and the operator has no backward: call it under "
            "torch.no_grad(), or detach the argument",
            op_, name_));
  }

 private:
  Message expected() const { return Message().add("%s: argument `%s`: expected ", op_, name_); }

  [[noreturn]] void refuse_device(Message message) const {
    add_device(message, tensor_);
    throw Refusal(message);
  }

  [[noreturn]] void refuse_shape(Message message) const {
    throw Refusal(message.add(", got shape ").add_list(tensor_.sizes(), tensor_.dim()));
  }

  [[noreturn]] void refuse_strides(const char* wanted) const {
    Message message = expected().add("%s, got shape ", wanted);
    message.add_list(tensor_.sizes(), tensor_.dim()).add(" with strides ");
    throw Refusal(message.add_list(tensor_.strides(), tensor_.dim()));
  }

  static const char* begin(const Tensor& tensor) { return static_cast<const char*>(tensor.data()); }
  static const char* end(const Tensor& tensor) {
    int64_t last = 0;
    for (int64_t d = 0; d < tensor.dim(); ++d)
      last += (tensor.sizes()[d] - 1) * tensor.strides()[d];
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

  static Steps steps_of(const Tensor& tensor) {
    return Steps(tensor.sizes(), tensor.strides(), tensor.dim());
  }

  const char* op_;
  const char* name_;
  const Tensor& tensor_;
};

inline Message expected_of(const char* op, const char* name) {
  return Message().add("%s: argument `%s`: expected ", op, name);
}

inline void choice(const char* op, const char* name, const char* value,
                   std::initializer_list<const char*> allowed) {
  for (const char* known : allowed)
    if (std::strcmp(value, known) == 0) return;
  Message message = expected_of(op, name);
  const char* separator = "";
  for (const char* known : allowed) {
    message.add("%s'%s'", separator, known);
    separator = " or ";
  }
  throw Refusal(message.add(", got '%.200s'", value));
}

// Written so that NaN is refused wherever there is a bound.
inline void at_least(const char* op, const char* name, double value, double minimum) {
  if (value >= minimum) return;
  throw Refusal(
      expected_of(op, name).add("at least ").add_number(minimum).add(", got ").add_number(value));
}

inline void at_most(const char* op, const char* name, double value, double maximum) {
  if (value <= maximum) return;
  throw Refusal(
      expected_of(op, name).add("at most ").add_number(maximum).add(", got ").add_number(value));
}

// The sizes of an output, put together one after the other.
class OutputSizes {
 public:
  explicit OutputSizes(const char* op) : op_(op) {}

  void push(int64_t size) {
    if (count_ == kMostDimensions)
      throw Refusal(
          Message().add("%s: an output has more than %d dimensions", op_, kMostDimensions));
    sizes_[count_++] = size;
  }
  void push(const Sizes& sizes) {
    for (int64_t d = 0; d < sizes.count; ++d) push(sizes.data[d]);
  }

  Tensor allocate(DType dtype, const Tensor& device_of) const {
    return empty(sizes_, count_, dtype, device_of);
  }

 private:
  const char* op_;
  int64_t sizes_[kMostDimensions];
  int64_t count_ = 0;
};

struct Named {
  const char* name;
  int64_t value;
};

inline void constraint(const char* op, bool holds, const char* text,
                       std::initializer_list<Named> values) {
  if (holds) return;
  Message message = Message().add("%s: expected %s, got ", op, text);
  const char* separator = "";
  for (const Named& item : values) {
    message.add("%s%s = %lld", separator, item.name, static_cast<long long>(item.value));
    separator = ", ";
  }
  throw Refusal(message);
}

// The tensor itself where it is dense, a dense copy otherwise.
inline Tensor densified(Tensor&& tensor, bool dense) {
  if (dense) return std::move(tensor);
  Tensor copied = empty(tensor.sizes(), tensor.dim(), tensor.dtype(), tensor);
  copy(copied, tensor);
  return copied;
}

// A tensor as the kernel sees it. Dimensions [first, first + count) are collapsed to one where
// `first` is not negative: the description's Shape.
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

// Where the caller, which is no C++, wants to be told what was thrown.
struct Problem {
  char* text;
  int64_t size_bytes;

  void set(const char* what) const { std::snprintf(text, size_bytes, "%s", what); }
};

// Makes `kernel` that of ns::name for a dispatch key; null where every place of this library is
// taken, and where PyTorch objects: then with the problem.
inline Place* offer(const char* ns, const char* name, const char* dispatch_key, Boxed kernel,
                    Problem problem) {
  Place* place = Place::take(kernel);
  if (!place) return nullptr;
  try {
    place->registration = enroll(ns, name, dispatch_key, place->index());
    return place;
  } catch (const std::exception& error) {
    problem.set(error.what());
  } catch (...) {
    problem.set("something that is no std::exception was thrown");
  }
  place->exchange(nullptr);
  return nullptr;
}

// Takes the offer back. No call may be under way.
inline void withdraw(Place* place) {
  dismiss(place->registration);
  place->exchange(nullptr);
}

}  // namespace binding
}  // namespace opwright
