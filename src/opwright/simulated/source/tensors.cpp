// The operators that make tensors, views and copies. What they do to memory is put on streams.
#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_cpu_dispatch.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/set_cpu_dispatch.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "capture.h"
#include "device.h"
#include "event.h"
#include "memory.h"
#include "torch_device.h"

namespace opwright {
namespace simulated {

at::Tensor as_cpu(const at::Tensor& tensor) {
  const c10::Storage& storage = tensor.storage();
  c10::Storage alias(c10::Storage::use_byte_size_t{}, storage.nbytes(),
                     c10::DataPtr(const_cast<void*>(storage.data()), c10::Device(c10::kCPU)),
                     nullptr, false);
  at::Tensor made = at::detail::make_tensor<c10::TensorImpl>(
      std::move(alias), c10::DispatchKeySet(c10::DispatchKey::CPU), tensor.dtype());
  made.unsafeGetTensorImpl()->set_sizes_and_strides(tensor.sizes(), tensor.strides(),
                                                    tensor.storage_offset());
  made._set_conj(tensor.is_conj());
  made._set_neg(tensor.is_neg());
  return made;
}

void resize_tensor(const at::Tensor& tensor, c10::IntArrayRef sizes) {
  if (tensor.sizes() == sizes) return;
  tensor.unsafeGetTensorImpl()->set_sizes_contiguous(sizes);
  const size_t needed = at::detail::computeStorageNbytesContiguous(
      sizes, tensor.element_size(), static_cast<size_t>(tensor.storage_offset()));
  if (needed > tensor.storage().nbytes()) resize_storage(tensor.storage(), needed);
}

namespace {

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

using OptionalDtype = std::optional<at::ScalarType>;
using OptionalLayout = std::optional<at::Layout>;
using OptionalDevice = std::optional<c10::Device>;
using OptionalFormat = std::optional<at::MemoryFormat>;

at::Tensor empty(c10::IntArrayRef sizes, OptionalDtype dtype, OptionalLayout, OptionalDevice device,
                 std::optional<bool>, OptionalFormat format) {
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_generic(sizes, &allocator(), kKeys, c10::dtype_or_default(dtype),
                                   format);
}

at::Tensor empty_strided(c10::IntArrayRef sizes, c10::IntArrayRef strides, OptionalDtype dtype,
                         OptionalLayout, OptionalDevice device, std::optional<bool>) {
  const c10::OptionalDeviceGuard guard(device);
  return at::detail::empty_strided_generic(sizes, strides, &allocator(), kKeys,
                                           c10::dtype_or_default(dtype));
}

// A copy on a worker. Both are tensors of the CPU as far as PyTorch knows.
std::function<void()> copying(const at::Tensor& from, const at::Tensor& to) {
  return [from, to] {
    const at::AutoDispatchBelowADInplaceOrView guard;
    to.copy_(from);
  };
}

void copy_to_device(const at::Tensor& from, const at::Tensor& to, bool waits) {
  forbid_during_capture("copying from the host's pageable memory");
  Stream* stream = current_stream_of(to);
  // Nobody waits: then the source is what it was at the time of the call.
  const at::Tensor source = waits ? from.detach() : from.detach().clone();
  stream->push({"copy from host to device", copying(source, as_cpu(to)), only(stream->device)});
  if (waits) stream->wait("a copy from the host");
}

void copy_to_host(const at::Tensor& from, const at::Tensor& to, bool waits, const char* why) {
  forbid_during_capture(why);
  Stream* stream = current_stream_of(from);
  stream->push(
      {"copy from device to host", copying(as_cpu(from), to.detach()), only(stream->device)});
  if (waits) stream->wait(why);
}

void copy_between_devices(const at::Tensor& from, const at::Tensor& to) {
  Stream* stream = current_stream_of(from);
  Stream* target = current_stream_of(to);
  const Devices devices = only(stream->device) | only(target->device);
  if (stream != target) {
    const auto ready = std::make_shared<Event>();
    ready->record(target);
    ready->block(stream);
  }
  stream->push({"copy from device to device", copying(as_cpu(from), as_cpu(to)), devices});
  if (stream != target) {
    const auto done = std::make_shared<Event>();
    done->record(stream);
    done->block(target);
  }
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& to, bool non_blocking) {
  const at::NoGradGuard no_grad;
  const at::Tensor source = from.expand(to.sizes());
  if (to.numel() == 0) return to;
  if (source.is_cpu()) {
    copy_to_device(source, to, !non_blocking);
  } else if (to.is_cpu()) {
    copy_to_host(source, to, !non_blocking, "a copy to the host");
  } else {
    copy_between_devices(source, to);
  }
  return to;
}

at::Tensor copy_from_and_resize(const at::Tensor& from, const at::Tensor& to) {
  resize_tensor(to, from.sizes());
  return copy_from(from, to, false);
}

at::Scalar item(const at::Tensor& tensor) {
  at::Tensor host = at::detail::empty_cpu(tensor.sizes(), tensor.scalar_type());
  copy_to_host(tensor, host, true, "reading a value on the host");
  return host.item();
}

at::Tensor& fill_scalar(at::Tensor& tensor, const at::Scalar& value) {
  if (tensor.numel() == 0) return tensor;
  Stream* stream = current_stream_of(tensor);
  const auto task = [value, to = as_cpu(tensor)] {
    const at::AutoDispatchBelowADInplaceOrView guard;
    to.fill_(value);
  };
  stream->push({"fill", task, only(stream->device)});
  return tensor;
}

at::Tensor& zero(at::Tensor& tensor) { return fill_scalar(tensor, 0); }

at::Tensor as_strided(const at::Tensor& tensor, c10::SymIntArrayRef sizes,
                      c10::SymIntArrayRef strides, std::optional<c10::SymInt> offset) {
  return at::cpu::as_strided_symint(tensor, sizes, strides, offset);
}
at::Tensor view(const at::Tensor& tensor, c10::SymIntArrayRef sizes) {
  return at::native::view(tensor, C10_AS_INTARRAYREF_SLOW(sizes));
}
at::Tensor reshape_alias(const at::Tensor& tensor, c10::SymIntArrayRef sizes,
                         c10::SymIntArrayRef strides) {
  return at::native::_reshape_alias(tensor, C10_AS_INTARRAYREF_SLOW(sizes),
                                    C10_AS_INTARRAYREF_SLOW(strides));
}
const at::Tensor& resize(const at::Tensor& tensor, c10::SymIntArrayRef sizes,
                         OptionalFormat format) {
  resize_tensor(tensor, C10_AS_INTARRAYREF_SLOW(sizes));
  if (format) tensor.unsafeGetTensorImpl()->empty_tensor_restride(*format);
  return tensor;
}
at::Tensor& set_at(at::Tensor& tensor, at::Storage storage, c10::SymInt offset,
                   c10::SymIntArrayRef sizes, c10::SymIntArrayRef strides) {
  return at::cpu::set__symint(tensor, storage, offset, sizes, strides);
}
at::Tensor& set_storage(at::Tensor& tensor, at::Storage storage) {
  return at::native::set_(tensor, storage);
}
at::Tensor& set_tensor(at::Tensor& tensor, const at::Tensor& source) {
  return at::native::set_tensor_(tensor, source);
}
void record(at::Tensor& tensor, at::Stream stream) {
  record_stream(const_cast<void*>(tensor.storage().data()), stream_of(stream));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m) {
  m.impl("empty.memory_format", empty);
  m.impl("empty_strided", empty_strided);
  m.impl("_copy_from", copy_from);
  m.impl("_copy_from_and_resize", copy_from_and_resize);
  m.impl("_local_scalar_dense", item);
  m.impl("fill_.Scalar", fill_scalar);
  m.impl("zero_", zero);
  m.impl("as_strided", as_strided);
  m.impl("view", view);
  m.impl("_reshape_alias", reshape_alias);
  m.impl("resize_", resize);
  m.impl("set_.source_Storage_storage_offset", set_at);
  m.impl("set_.source_Storage", set_storage);
  m.impl("set_.source_Tensor", set_tensor);
  m.impl("record_stream", record);
}

// Copies know of conjugates and negatives by themselves.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}
TORCH_LIBRARY_IMPL(aten, Negative, m) {
  m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

}  // namespace
}  // namespace simulated
}  // namespace opwright
