// The quickest way from Python to an operator: what binding/call.py does for a call that autograd
// records nothing of, without the interpreter. Every other call goes to its function there.
//
// The part of Python's interface that this takes is declared here, and weak: where something is
// missing, there is no quick call.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "torch_stable.h"

extern "C" {

struct _object;
using PyObject = _object;

struct PyMethodDef {
  const char* name;
  PyObject* (*function)(PyObject*, PyObject* const*, intptr_t, PyObject*);
  int flags;
  const char* doc;
};

#define OPWRIGHT_WEAK __attribute__((weak))
OPWRIGHT_WEAK PyObject* PyCFunction_NewEx(PyMethodDef*, PyObject* self, PyObject* module);
OPWRIGHT_WEAK PyObject* PyTuple_GetItem(PyObject* tuple, intptr_t index);
OPWRIGHT_WEAK intptr_t PyTuple_Size(PyObject* tuple);
OPWRIGHT_WEAK PyObject* PyDict_GetItem(PyObject* dict, PyObject* key);
OPWRIGHT_WEAK PyObject* PyObject_Vectorcall(PyObject* callable, PyObject* const* args, size_t count,
                                            PyObject* keywords);
OPWRIGHT_WEAK PyObject* PyObject_GetAttr(PyObject* object, PyObject* name);
OPWRIGHT_WEAK PyObject* PyObject_Type(PyObject* object);
OPWRIGHT_WEAK int PyObject_IsTrue(PyObject* object);
OPWRIGHT_WEAK long PyLong_AsLong(PyObject* object);
OPWRIGHT_WEAK void Py_DecRef(PyObject* object);
#undef OPWRIGHT_WEAK

}  // extern "C"

namespace opwright {
namespace binding {

// PyTorch's functions for the state of a thread, and two of its dispatch keys.
struct ThreadState {
  bool (*is_included)(uint16_t key);
  bool (*is_excluded)(uint16_t key);
  void (*exclude)(uint16_t key, bool excluded);
  bool (*has_function_mode)();
  uint16_t transforms;
  uint16_t autograd;
};

// What a call looks at, in the order of the tuple that binding/native_call.py makes.
enum class Seen : intptr_t {
  entry,                // the dispatcher's, of the operator
  careful,              // the function for all other calls
  turns_grad_mode_off,  // whether the kernel would look for lost gradients otherwise
  any_autocast,         // a function to ask, or None, where autocast changes nothing
  compiler,             // the names of a module, and one of them
  is_compiling,
  forward_ad,  // the same
  level,
  types,  // those of which an argument's class is known: two of tensors, then others
  requires_grad,
};

class QuickCall {
 public:
  QuickCall(PyObject* seen, const ThreadState& state) : seen_(seen), state_(state) {}

  PyObject* operator()(PyObject* const* args, intptr_t count, PyObject* keywords) const {
    const bool records = aoti_torch_grad_mode_is_enabled();
    const intptr_t all = count + (keywords ? PyTuple_Size(keywords) : 0);
    const Answer answer = is_watched() ? Answer::yes : is_recorded(records, args, all);
    if (answer == Answer::error) return nullptr;
    if (answer == Answer::yes) return call(Seen::careful, args, count, keywords);
    return below(records, args, count, keywords);
  }

 private:
  enum class Answer { no, yes, error };

  // Whether a compiler, a transform or forward-mode autograd may look on.
  bool is_watched() const {
    if (state_.is_included(state_.transforms) || state_.has_function_mode()) return true;
    PyObject* compiling = PyDict_GetItem(at(Seen::compiler), at(Seen::is_compiling));
    PyObject* level = PyDict_GetItem(at(Seen::forward_ad), at(Seen::level));
    return !compiling || PyObject_IsTrue(compiling) || !level || PyLong_AsLong(level) >= 0;
  }

  // Whether autocast or autograd may have to see the call.
  Answer is_recorded(bool records, PyObject* const* args, intptr_t count) const {
    if (PyObject_IsTrue(at(Seen::any_autocast))) {
      const Answer answer = truth(call(Seen::any_autocast, nullptr, 0, nullptr));
      if (answer != Answer::no) return answer;
    }
    for (intptr_t i = 0; records && i < count; ++i) {
      const Answer answer = requires_grad(args[i]);
      if (answer != Answer::no) return answer;
    }
    return Answer::no;
  }

  Answer requires_grad(PyObject* argument) const {
    constexpr intptr_t kTensorTypes = 2;
    PyObject* type = PyObject_Type(argument);
    Py_DecRef(type);  // the argument holds it
    PyObject* types = at(Seen::types);
    const intptr_t count = PyTuple_Size(types);
    for (intptr_t i = 0; i < count; ++i)
      if (type == PyTuple_GetItem(types, i))
        return i < kTensorTypes ? truth(PyObject_GetAttr(argument, at(Seen::requires_grad)))
                                : Answer::no;
    return Answer::yes;  // what a class of somebody's own says of itself costs more to ask
  }

  PyObject* below(bool records, PyObject* const* args, intptr_t count, PyObject* keywords) const {
    const bool quiet = records && PyObject_IsTrue(at(Seen::turns_grad_mode_off));
    const bool excludes = !state_.is_excluded(state_.autograd);
    if (quiet) aoti_torch_grad_mode_set_enabled(false);
    if (excludes) state_.exclude(state_.autograd, true);
    PyObject* result = call(Seen::entry, args, count, keywords);
    if (excludes) state_.exclude(state_.autograd, false);
    if (quiet) aoti_torch_grad_mode_set_enabled(true);
    return result;
  }

  static Answer truth(PyObject* object) {
    if (!object) return Answer::error;
    const int is_true = PyObject_IsTrue(object);
    Py_DecRef(object);
    return is_true < 0 ? Answer::error : is_true ? Answer::yes : Answer::no;
  }

  PyObject* at(Seen what) const { return PyTuple_GetItem(seen_, static_cast<intptr_t>(what)); }

  PyObject* call(Seen what, PyObject* const* args, intptr_t count, PyObject* keywords) const {
    return PyObject_Vectorcall(at(what), args, static_cast<size_t>(count), keywords);
  }

  PyObject* seen_;
  const ThreadState& state_;
};

inline ThreadState& thread_state() {
  static ThreadState state;
  return state;
}

inline PyObject* quick_call(PyObject* seen, PyObject* const* args, intptr_t count,
                            PyObject* keywords) {
  return QuickCall(seen, thread_state())(args, count, keywords);
}

// A function of Python's that calls in this way; null where this Python has no means.
inline PyObject* quick_function(PyObject* seen, const ThreadState& state) {
  constexpr int kVectorcallWithKeywords = 0x80 | 0x02;
  static PyMethodDef method = {"quick_call", quick_call, kVectorcallWithKeywords, nullptr};
  thread_state() = state;
  const bool complete = PyCFunction_NewEx && PyTuple_GetItem && PyTuple_Size && PyDict_GetItem &&
                        PyObject_Vectorcall && PyObject_GetAttr && PyObject_Type &&
                        PyObject_IsTrue && PyLong_AsLong && Py_DecRef;
  return complete ? PyCFunction_NewEx(&method, seen, nullptr) : nullptr;
}

}  // namespace binding
}  // namespace opwright
