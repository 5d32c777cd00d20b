// The binding's half that talks to PyTorch, over ATen's C++ ABI: for torch older than 2.10.
// A binary serves only the torch that it was built with.
#pragma once

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "binding_types.h"
#include "optional.h"
#include "places.h"
#include "refusal.h"

namespace opwright {
namespace binding {

inline constexpr at::ScalarType kScalarTypes[kDtypeCount] = {
    at::kDouble, at::kFloat, at::kBFloat16, at::kHalf, at::kLong,         at::kInt,
    at::kShort,  at::kChar,  at::kByte,     at::kBool, at::kComplexFloat, at::kComplexDouble,
};

class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(at::Tensor tensor) : tensor_(std::move(tensor)) {
    for (int i = 0; i < kDtypeCount; ++i)
      if (kScalarTypes[i] == tensor_.scalar_type()) dtype_ = static_cast<DType>(i);
  }

  explicit operator bool() const { return tensor_.defined(); }
  void* data() const { return tensor_.data_ptr(); }
  int64_t dim() const { return tensor_.dim(); }
  const int64_t* sizes() const { return tensor_.sizes().data(); }
  const int64_t* strides() const { return tensor_.strides().data(); }
  DType dtype() const { return dtype_; }
  int64_t element_bytes() const { return tensor_.element_size(); }
  int32_t device_type() const { return static_cast<int32_t>(tensor_.device().type()); }
  int32_t device_index() const { return tensor_.device().index(); }
  const at::Tensor& aten() const { return tensor_; }

 private:
  at::Tensor tensor_;
  DType dtype_ = DType::other;
};

inline int32_t cpu_device() { return static_cast<int32_t>(at::kCPU); }
inline int32_t cuda_device() { return static_cast<int32_t>(at::kCUDA); }
inline int32_t simulated_device() { return static_cast<int32_t>(at::kPrivateUse1); }

inline void add_device(Message& message, const Tensor& tensor) {
  message.add("%s", tensor.aten().device().str().c_str());
}

inline Tensor empty(const int64_t* sizes, int64_t dim, DType dtype, const Tensor& device_of) {
  const at::TensorOptions options(device_of.aten().device());
  return Tensor(
      at::empty(at::IntArrayRef(sizes, dim), options.dtype(kScalarTypes[static_cast<int>(dtype)])));
}

inline void copy(const Tensor& to, const Tensor& from) { to.aten().copy_(from.aten()); }

inline bool is_recorded(const Tensor& tensor) {
  return at::GradMode::is_enabled() && tensor.aten().requires_grad();
}

inline void count_write(const Tensor& tensor) {
  tensor.aten().unsafeGetTensorImpl()->bump_version();
}

class Text {
 public:
  Text(bool present, std::string text) : present_(present), text_(std::move(text)) {}
  const char* c_str() const { return present_ ? text_.c_str() : nullptr; }

 private:
  bool present_;
  std::string text_;
};

class Stack {
 public:
  Stack(const torch::jit::Stack& values, size_t count)
      : values_(values.end() - count, values.end()) {}

  Tensor tensor(int i) { return Tensor(values_[i].toTensor()); }
  int64_t integer(int i) { return values_[i].toInt(); }
  double real(int i) { return values_[i].toDouble(); }
  bool boolean(int i) { return values_[i].toBool(); }
  Text text(int i) { return Text(true, values_[i].toStringRef()); }

  Tensor optional_tensor(int i) { return values_[i].isNone() ? Tensor() : tensor(i); }
  Optional<int64_t> optional_integer(int i) { return optional<int64_t>(i, &Stack::integer); }
  Optional<double> optional_real(int i) { return optional<double>(i, &Stack::real); }
  Optional<bool> optional_boolean(int i) { return optional<bool>(i, &Stack::boolean); }
  Text optional_text(int i) { return values_[i].isNone() ? Text(false, "") : text(i); }

  void result(size_t i, Tensor&& tensor) {
    if (results_.size() <= i) results_.resize(i + 1);
    results_[i] = tensor.aten();
  }
  const std::vector<c10::IValue>& results() const { return results_; }

 private:
  template <typename T>
  Optional<T> optional(int i, T (Stack::*read)(int)) {
    Optional<T> found;
    found.present = !values_[i].isNone();
    if (found.present) found.value = (this->*read)(i);
    return found;
  }

  std::vector<c10::IValue> values_;
  std::vector<c10::IValue> results_;
};

using Boxed = void (*)(const c10::OperatorHandle&, torch::jit::Stack*);

template <void (*Call)(Stack&)>
void boxed(const c10::OperatorHandle& op, torch::jit::Stack* values) {
  const size_t count = op.schema().arguments().size();
  Stack stack(*values, count);
  Call(stack);
  torch::jit::drop(*values, count);
  for (const c10::IValue& result : stack.results()) values->push_back(result);
}

using Place = PlaceOf<Boxed>;

template <int Index>
void relay(const c10::OperatorHandle& op, torch::jit::Stack* values) {
  Place::all[Index].kernel()(op, values);
}

template <int... Indices>
torch::CppFunction relay_at(int place, std::integer_sequence<int, Indices...>) {
  using Make = torch::CppFunction (*)();
  static constexpr Make kRelays[] = {
      &torch::CppFunction::makeFromBoxedFunction<&relay<Indices>>...};
  return kRelays[place]();
}

inline torch::Library* enroll(const char* ns, const char* name, const char* dispatch_key,
                              int place) {
  auto* library = new torch::Library(torch::Library::IMPL, ns, c10::parseDispatchKey(dispatch_key),
                                     __FILE__, __LINE__);
  library->impl(name, relay_at(place, std::make_integer_sequence<int, kPlaces>()));
  return library;
}

inline void dismiss(void* library) { delete static_cast<torch::Library*>(library); }

}  // namespace binding
}  // namespace opwright

extern "C" void opwright_parallel_for(int64_t begin, int64_t end, int64_t grain,
                                      void (*f)(int64_t, int64_t, void*), void* context) {
  at::parallel_for(begin, end, grain, [&](int64_t from, int64_t to) { f(from, to, context); });
}
