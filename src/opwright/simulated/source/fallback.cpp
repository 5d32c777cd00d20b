// All other operators: PyTorch's kernels for the CPU, run by the current stream's worker.
//
// Where the shapes of the results follow from those of the arguments, the host does not wait: it
// learns them from PyTorch's kernels for tensors without data. Elsewhere it waits, as it has to on
// any device.
#include <ATen/EmptyTensor.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>

#include <exception>
#include <optional>

#include "capture.h"
#include "device.h"
#include "journal.h"
#include "torch_device.h"

namespace opwright {
namespace simulated {
namespace {

using torch::jit::Stack;

// Puts another tensor in the place of each of a value's.
template <typename Other>
c10::IValue mapped(const c10::IValue& value, c10::Device device, Other&& other) {
  if (value.isTensor()) return other(value.toTensor());
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(other(tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const std::optional<at::Tensor>& tensor : value.toOptionalTensorVector()) {
      list.push_back(tensor ? std::optional<at::Tensor>(other(*tensor)) : std::nullopt);
    }
    return list;
  }
  if (value.isDevice()) return device;
  return value;
}

class Call {
 public:
  Call(const c10::OperatorHandle& op, Stack* stack) : op_(op), stack_(stack) {
    const size_t count = op.schema().arguments().size();
    arguments_.assign(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end());
    find_device();
  }

  void run() {
    const int before = exchange_device(device_);
    try {
      require_working(device_);
      if (!run_ahead()) run_and_wait();
    } catch (...) {
      exchange_device(before);
      throw;
    }
    exchange_device(before);
  }

 private:
  void find_device() {
    const auto see = [this](const at::Tensor& tensor) {
      if (tensor.defined() && tensor.device().type() == kType) {
        const int device = tensor.device().index();
        TORCH_CHECK(device_ < 0 || device == device_,
                    "Expected all tensors to be on the same device, but found at least two "
                    "devices, ",
                    name_of(device_), " and ", name_of(device), "!");
        device_ = device;
      }
      return tensor;
    };
    for (const c10::IValue& value : arguments_) mapped(value, c10::kCPU, see);
    for (const c10::IValue& value : arguments_) {
      if (device_ < 0 && value.isDevice()) device_ = index_of(value.toDevice());
    }
    if (device_ < 0) device_ = current_device();
    for (const c10::IValue& value : arguments_) {
      mapped(value, c10::kCPU, [this](const at::Tensor& tensor) {
        TORCH_CHECK(!tensor.defined() || !tensor.is_cpu() || tensor.dim() == 0,
                    "Expected all tensors to be on the same device, but found at least two "
                    "devices, ",
                    name_of(device_), " and cpu!");
        return tensor;
      });
    }
  }

  static bool is_here(const at::Tensor& tensor) {
    return tensor.defined() && tensor.device().type() == kType;
  }

  // The arguments for the kernel of the CPU. Its own numbers are kept as they are now.
  Stack cpu_arguments() const {
    Stack made;
    for (const c10::IValue& value : arguments_) {
      made.push_back(mapped(value, c10::kCPU, [](const at::Tensor& tensor) {
        if (is_here(tensor)) return as_cpu(tensor);
        return tensor.defined() ? tensor.detach().clone() : tensor;
      }));
    }
    return made;
  }

  // The same without data, and which is whose.
  Stack meta_arguments() {
    Stack made;
    for (const c10::IValue& value : arguments_) {
      made.push_back(mapped(value, c10::kMeta, [this](const at::Tensor& tensor) -> at::Tensor {
        if (!is_here(tensor)) return tensor;
        for (const auto& [original, stand_in] : stand_ins_) {
          if (original.is_same(tensor)) return stand_in;
        }
        at::Tensor stand_in =
            at::detail::empty_strided_meta(tensor.sizes(), tensor.strides(), tensor.scalar_type());
        stand_ins_.emplace_back(tensor, stand_in);
        return stand_in;
      }));
    }
    return made;
  }

  // False: the results' shapes are not known before the kernel has run, or nothing tells them.
  bool run_ahead() {
    Stack shapes;
    try {
      shapes = meta_arguments();
      const at::AutoDispatchBelowADInplaceOrView guard;
      op_.callBoxed(&shapes);
    } catch (const std::exception&) {
      return false;
    }
    for (const c10::IValue& shape : shapes) {
      if (!shape.isTensor() && !shape.isTensorList()) return false;
    }
    for (const auto& [original, stand_in] : stand_ins_) {
      if (original.sizes() == stand_in.sizes()) continue;
      resize_tensor(original, stand_in.sizes());  // an `out` that was empty
    }
    Stack results;
    std::vector<std::optional<at::Tensor>> fresh;
    for (const c10::IValue& shape : shapes) {
      results.push_back(mapped(shape, c10::kCPU, [&](const at::Tensor& of) {
        at::Tensor result = result_for(of, &fresh);
        return result;
      }));
    }
    enqueue(std::move(fresh));
    finish(std::move(results));
    return true;
  }

  static at::Tensor view_of(const at::Tensor& original, const at::Tensor& shape) {
    at::Tensor view = at::detail::make_tensor<c10::TensorImpl>(
        c10::TensorImpl::VIEW, c10::Storage(original.storage()), original.key_set(), shape.dtype());
    const int64_t offset_bytes =
        original.storage_offset() * static_cast<int64_t>(original.element_size());
    view.unsafeGetTensorImpl()->set_sizes_and_strides(
        shape.sizes(), shape.strides(),
        offset_bytes / static_cast<int64_t>(shape.element_size()) + shape.storage_offset());
    view._set_conj(shape.is_conj());
    view._set_neg(shape.is_neg());
    return view;
  }

  // The argument itself, a view of it, or a tensor of its own, which is filled later.
  at::Tensor result_for(const at::Tensor& shape, std::vector<std::optional<at::Tensor>>* fresh) {
    fresh->emplace_back();
    if (!shape.defined()) return shape;
    for (const auto& [original, stand_in] : stand_ins_) {
      if (stand_in.is_same(shape)) return original;
      if (stand_in.storage().is_alias_of(shape.storage())) {
        return view_of(original, shape);
      }
    }
    at::Tensor result = at::detail::empty_strided_generic(
        shape.sizes(), shape.strides(), &allocator(),
        c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), shape.scalar_type());
    fresh->back() = as_cpu(result);
    return result;
  }

  void enqueue(std::vector<std::optional<at::Tensor>> fresh) {
    const auto task = [op = op_, arguments = cpu_arguments(), fresh = std::move(fresh)] {
      const at::AutoDispatchBelowADInplaceOrView guard;
      Stack stack = arguments;
      op.callBoxed(&stack);
      size_t next = 0;
      for (const c10::IValue& value : stack) {
        mapped(value, c10::kCPU, [&](const at::Tensor& computed) {
          if (const auto& to = fresh[next++]) to->copy_(computed);
          return computed;
        });
      }
    };
    current_stream(device_)->push({name(), task, only(device_)});
  }

  void run_and_wait() {
    const std::string what = "the shape or the value of a result of " + name();
    forbid_during_capture(what);
    Stream* stream = current_stream(device_);
    struct Done {
      Stack stack;
      std::exception_ptr error;
    };
    const auto done = std::make_shared<Done>();
    done->stack = cpu_arguments();
    const auto task = [op = op_, done] {
      const at::AutoDispatchBelowADInplaceOrView guard;
      try {
        replace_outs(op, &done->stack);
        op.callBoxed(&done->stack);
      } catch (...) {
        done->error = std::current_exception();
      }
    };
    stream->push({name(), task, only(device_)});
    stream->wait(what.c_str());
    if (done->error) std::rethrow_exception(done->error);
    finish_waited(std::move(done->stack));
  }

  // What a kernel may resize has to have memory of its own.
  static void replace_outs(const c10::OperatorHandle& op, Stack* stack) {
    const auto& arguments = op.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i].is_out() && (*stack)[i].isTensor()) {
        (*stack)[i] = (*stack)[i].toTensor().clone();
      }
    }
  }

  void finish_waited(Stack computed) {
    const auto& returns = op_.schema().returns();
    Stack results;
    for (size_t i = 0; i < computed.size(); ++i) {
      const at::Tensor* own = i < returns.size() ? argument_behind(returns[i]) : nullptr;
      results.push_back(mapped(computed[i], c10::kCPU, [&](const at::Tensor& cpu) {
        if (!cpu.defined()) return cpu;
        if (own && device_of(cpu.const_data_ptr()) >= 0) return *own;  // written in place
        if (own) {
          if (own->sizes() != cpu.sizes()) resize_tensor(*own, cpu.sizes());
          own->copy_(cpu, true);
          return *own;
        }
        at::Tensor result = at::detail::empty_strided_generic(
            cpu.sizes(), cpu.strides(), &allocator(),
            c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), cpu.scalar_type());
        result.copy_(cpu, true);
        return result;
      }));
    }
    finish(std::move(results));
  }

  // The argument that the schema says is returned.
  const at::Tensor* argument_behind(const c10::Argument& returned) const {
    const c10::AliasInfo* alias = returned.alias_info();
    if (!alias || !alias->isWrite()) return nullptr;
    const auto& arguments = op_.schema().arguments();
    for (size_t i = 0; i < arguments.size(); ++i) {
      const c10::AliasInfo* other = arguments[i].alias_info();
      if (other && *other == *alias && arguments_[i].isTensor()) return &arguments_[i].toTensor();
    }
    return nullptr;
  }

  void finish(Stack results) {
    torch::jit::drop(*stack_, arguments_.size());
    for (c10::IValue& result : results) stack_->push_back(std::move(result));
  }

  std::string name() const { return op_.schema().name(); }

  const c10::OperatorHandle& op_;
  Stack* stack_;
  Stack arguments_;
  int device_ = -1;
  std::vector<std::pair<at::Tensor, at::Tensor>> stand_ins_;
};

void fall_back(const c10::OperatorHandle& op, Stack* stack) { Call(op, stack).run(); }

TORCH_LIBRARY_IMPL(_, PrivateUse1, m) {
  m.fallback(torch::CppFunction::makeFromBoxedFunction<&fall_back>());
}

}  // namespace
}  // namespace simulated
}  // namespace opwright
