// The binding's half that talks to PyTorch, over its stable C ABI (torch >= 2.10): one binary
// serves every later torch and every Python.
#pragma once

#include <cstdint>
#include <cstring>
#include <utility>

#include "binding_types.h"
#include "optional.h"
#include "places.h"
#include "quick_call.h"
#include "refusal.h"
#include "torch_stable.h"

namespace opwright {
namespace binding {

// The encoding of values on the stack that this header speaks.
inline constexpr uint64_t kBuiltFor = 0x020a000000000000;  // torch 2.10

inline void check(AOTITorchError error, const char* what) {
  if (!error) return;
  const bool told = torch_exception_get_what_without_backtrace != nullptr;
  throw Refusal(Message().add("PyTorch failed when %s%s%s", what, told ? ": " : "",
                              told ? torch_exception_get_what_without_backtrace() : ""));
}

// The numbers that the loading torch gives to dtypes, in the order of DType.
struct DtypeNumbers {
  int32_t number[kDtypeCount] = {
      aoti_torch_dtype_float64(), aoti_torch_dtype_float32(),   aoti_torch_dtype_bfloat16(),
      aoti_torch_dtype_float16(), aoti_torch_dtype_int64(),     aoti_torch_dtype_int32(),
      aoti_torch_dtype_int16(),   aoti_torch_dtype_int8(),      aoti_torch_dtype_uint8(),
      aoti_torch_dtype_bool(),    aoti_torch_dtype_complex64(), aoti_torch_dtype_complex128(),
  };
};

inline const DtypeNumbers& dtype_numbers() {
  static const DtypeNumbers numbers;
  return numbers;
}

inline DType dtype_of_number(int32_t number) {
  const DtypeNumbers& known = dtype_numbers();
  for (int i = 0; i < kDtypeCount; ++i)
    if (known.number[i] == number) return static_cast<DType>(i);
  return DType::other;
}

// An owned reference to a tensor, with its facts read once.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(AtenTensorHandle handle) : Tensor() {
    handle_ = handle;  // owned from here on, also if what follows throws
    check(aoti_torch_is_defined(handle, &defined_), "reading a tensor");
    if (!defined_) return;  // Python passed None
    check(aoti_torch_get_data_ptr(handle, &data_), "reading a tensor's address");
    check(aoti_torch_get_dim(handle, &dim_), "reading a tensor's rank");
    check(aoti_torch_get_sizes(handle, &sizes_), "reading a tensor's sizes");
    check(aoti_torch_get_strides(handle, &strides_), "reading a tensor's strides");
    int32_t number = 0;
    check(aoti_torch_get_dtype(handle, &number), "reading a tensor's dtype");
    dtype_ = dtype_of_number(number);
    element_bytes_ = static_cast<int64_t>(aoti_torch_dtype_element_size(number));
    check(aoti_torch_get_device_type(handle, &device_type_), "reading a tensor's device");
    check(aoti_torch_get_device_index(handle, &device_index_), "reading a tensor's device");
  }
  Tensor(Tensor&& other) noexcept { *this = std::move(other); }
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(defined_, other.defined_);
    std::swap(data_, other.data_);
    std::swap(dim_, other.dim_);
    std::swap(sizes_, other.sizes_);
    std::swap(strides_, other.strides_);
    std::swap(dtype_, other.dtype_);
    std::swap(element_bytes_, other.element_bytes_);
    std::swap(device_type_, other.device_type_);
    std::swap(device_index_, other.device_index_);
    return *this;
  }
  ~Tensor() {
    if (handle_) aoti_torch_delete_tensor_object(handle_);
  }

  explicit operator bool() const { return defined_; }
  void* data() const { return data_; }
  int64_t dim() const { return dim_; }
  const int64_t* sizes() const { return sizes_; }
  const int64_t* strides() const { return strides_; }
  DType dtype() const { return dtype_; }
  int64_t element_bytes() const { return element_bytes_; }
  int32_t device_type() const { return device_type_; }
  int32_t device_index() const { return device_index_; }
  AtenTensorHandle handle() const { return handle_; }

  AtenTensorHandle release() {
    AtenTensorHandle handle = handle_;
    handle_ = nullptr;
    return handle;
  }

 private:
  AtenTensorHandle handle_ = nullptr;
  bool defined_ = false;
  void* data_ = nullptr;
  int64_t dim_ = 0;
  int64_t* sizes_ = nullptr;
  int64_t* strides_ = nullptr;
  DType dtype_ = DType::other;
  int64_t element_bytes_ = 0;
  int32_t device_type_ = 0;
  int32_t device_index_ = 0;
};

inline int32_t cpu_device() { return aoti_torch_device_type_cpu(); }
inline int32_t cuda_device() { return aoti_torch_device_type_cuda(); }
inline int32_t simulated_device() { return aoti_torch_device_type_privateuse1(); }

inline void add_device(Message& message, const Tensor& tensor) {
  const int32_t type = tensor.device_type();
  const char* name = type == aoti_torch_device_type_cpu()           ? "cpu"
                     : type == aoti_torch_device_type_cuda()        ? "cuda"
                     : type == aoti_torch_device_type_meta()        ? "meta"
                     : type == aoti_torch_device_type_xpu()         ? "xpu"
                     : type == aoti_torch_device_type_privateuse1() ? "privateuse1"
                                                                    : "another device";
  message.add("%s", name);
  if (tensor.device_index() > 0 || type == aoti_torch_device_type_cuda())
    message.add(":%d", static_cast<int>(tensor.device_index()));
}

inline Tensor empty(const int64_t* sizes, int64_t dim, DType dtype, const Tensor& device_of) {
  int64_t strides[kMostDimensions];
  int64_t step = 1;
  for (int64_t d = dim - 1; d >= 0; --d) {
    strides[d] = step;
    step *= sizes[d] > 1 ? sizes[d] : 1;
  }
  AtenTensorHandle handle = nullptr;
  check(
      aoti_torch_empty_strided(dim, sizes, strides, dtype_numbers().number[static_cast<int>(dtype)],
                               device_of.device_type(), device_of.device_index(), &handle),
      "allocating an output");
  return Tensor(handle);
}

inline void copy(const Tensor& to, const Tensor& from) {
  check(aoti_torch_copy_(to.handle(), from.handle(), 0), "copying an argument to a dense tensor");
}

inline StableIValue as_value(AtenTensorHandle handle) {
  StableIValue value = 0;
  std::memcpy(&value, &handle, sizeof(handle));
  return value;
}

inline StableIValue shared(const Tensor& tensor) {
  AtenTensorHandle again = nullptr;
  check(aoti_torch_new_tensor_handle(tensor.handle(), &again), "sharing a tensor");
  return as_value(again);
}

// Whether autograd records what is done with the tensor. The C ABI has no such question, but a view
// of a tensor is a leaf only if nothing is recorded.
inline bool is_recorded(const Tensor& tensor) {
  if (!aoti_torch_grad_mode_is_enabled()) return false;
  StableIValue stack[1] = {shared(tensor)};
  check(torch_call_dispatcher("aten::alias", "", stack, kBuiltFor), "viewing a tensor");
  check(torch_call_dispatcher("aten::is_leaf", "", stack, kBuiltFor),
        "asking whether it is a leaf");
  return (stack[0] & 0xff) == 0;
}

// Tells autograd that the tensor is written to, by an operation in place that changes nothing.
inline void count_write(const Tensor& tensor) {
  StableIValue stack[3] = {shared(tensor), 0, 0};
  check(torch_call_dispatcher("aten::transpose_", "", stack, kBuiltFor), "counting a write");
  AtenTensorHandle result = nullptr;
  std::memcpy(&result, &stack[0], sizeof(result));
  aoti_torch_delete_tensor_object(result);
}

// A str argument, kept until the call ends.
class Text {
 public:
  explicit Text(StringHandle handle) : handle_(handle) {
    if (handle) check(torch_string_c_str(handle, &text_), "reading a str argument");
  }
  Text(Text&& other) noexcept : handle_(other.handle_), text_(other.text_) {
    other.handle_ = nullptr;
  }
  ~Text() {
    if (handle_) torch_delete_string(handle_);
  }
  const char* c_str() const { return text_; }

 private:
  StringHandle handle_;
  const char* text_ = nullptr;
};

// The arguments of one call, and its results. An argument may be taken once: taking it owns it.
class Stack {
 public:
  explicit Stack(StableIValue* values) : values_(values) {}

  Tensor tensor(int i) { return Tensor(as<AtenTensorHandle>(values_[i])); }
  int64_t integer(int i) { return as<int64_t>(values_[i]); }
  double real(int i) { return as<double>(values_[i]); }
  bool boolean(int i) { return as<bool>(values_[i]); }
  Text text(int i) { return Text(as<StringHandle>(values_[i])); }

  Tensor optional_tensor(int i) {
    const Optional<AtenTensorHandle> handle = optional<AtenTensorHandle>(i);
    return handle ? Tensor(*handle) : Tensor();
  }
  Optional<int64_t> optional_integer(int i) { return optional<int64_t>(i); }
  Optional<double> optional_real(int i) { return optional<double>(i); }
  Optional<bool> optional_boolean(int i) { return optional<bool>(i); }
  Text optional_text(int i) { return Text(optional<StringHandle>(i).value_or(nullptr)); }

  void result(int i, Tensor&& tensor) { values_[i] = as_value(tensor.release()); }

 private:
  template <typename T>
  static T as(StableIValue value) {
    T out;
    std::memcpy(&out, &value, sizeof(T));
    return out;
  }

  // An optional that is there travels as a pointer to a value on the heap, which the taker frees.
  template <typename T>
  Optional<T> optional(int i) {
    auto* boxed = as<StableIValue*>(values_[i]);
    Optional<T> found;
    if (boxed) {
      found.value = as<T>(*boxed);
      found.present = true;
      delete boxed;
    }
    return found;
  }

  StableIValue* values_;
};

using Boxed = void (*)(StableIValue*, uint64_t, uint64_t);

template <void (*Call)(Stack&)>
void boxed(StableIValue* values, uint64_t, uint64_t) {
  Stack stack(values);
  Call(stack);
}

using Place = PlaceOf<Boxed>;

template <int Index>
void relay(StableIValue* values, uint64_t arguments, uint64_t results) {
  Place::all[Index].kernel()(values, arguments, results);
}

// Makes `place` the kernel of ns::name for a dispatch key.
inline TorchLibraryHandle enroll(const char* ns, const char* name, const char* dispatch_key,
                                 int place) {
  static constexpr Boxed kRelays[kPlaces] = {relay<0>, relay<1>, relay<2>, relay<3>,
                                             relay<4>, relay<5>, relay<6>, relay<7>};
  TorchLibraryHandle library = nullptr;
  check(aoti_torch_library_init_impl(ns, dispatch_key, __FILE__, __LINE__, &library),
        "opening a library for registration");
  check(torch_library_impl(library, name, kRelays[place], kBuiltFor), "registering a kernel");
  return library;
}

inline void dismiss(void* library) {
  aoti_torch_delete_library_object(static_cast<TorchLibraryHandle>(library));
}

}  // namespace binding
}  // namespace opwright

extern "C" void opwright_parallel_for(int64_t begin, int64_t end, int64_t grain,
                                      void (*f)(int64_t, int64_t, void*), void* context) {
  torch_parallel_for(begin, end, grain, f, context);
}
