// The functions that code compiled with -fsanitize=undefined calls, in place of its runtime
// library.
//
// What they are given is described in LLVM's compiler-rt/lib/ubsan/ubsan_handlers.h.
#include <cstdint>
#include <string>

#include "errors.h"
#include "executor.h"
#include "findings.h"

namespace {

using opwright::emulated::Finding;
using opwright::emulated::found_here;
using opwright::emulated::running_executor;

struct Location {
  const char* file;
  uint32_t line;
  uint32_t column;
};

struct Type {
  uint16_t kind;  // 0: an integer
  uint16_t
      info;  // of an integer: lowest bit: it is signed; the others: binary logarithm of its bits
  char name[1];  // in quotes

  bool is_integer() const { return kind == 0; }
  bool is_signed() const { return info & 1; }
  unsigned bits() const { return 1u << (info >> 1); }
  std::string text() const {
    std::string text = name;
    return text.size() > 1 && text[0] == '\'' ? text.substr(1, text.size() - 2) : text;
  }
};

struct At {
  Location location;
};
struct AtType {
  Location location;
  const Type* type;
};
struct AtTypes {
  Location location;
  const Type* left;
  const Type* right;
};
struct TypeMismatch {
  Location location;
  const Type* type;
  unsigned char log_alignment;
  unsigned char access;
};

// A value of at most 64 bits is passed as it is, a longer one by its address.
std::string number(const Type& type, uintptr_t value) {
  if (!type.is_integer() || type.bits() > 64) return "a value";
  if (!type.is_signed()) return std::to_string(value);
  const unsigned unused = 64 - type.bits();
  return std::to_string(static_cast<int64_t>(static_cast<uint64_t>(value) << unused) >> unused);
}

Finding found(const char* kind, const Location& location, std::string message) {
  Finding finding = found_here(kind, std::move(message));
  finding.file = location.file ? location.file : "";
  finding.line = static_cast<int>(location.line);
  return finding;
}

void undefined(const Location& location, std::string message) {
  report(found("undefined_behaviour", location, std::move(message)));
}

// What a device stops at.
void stop(Finding finding, int error) {
  report(std::move(finding));
  if (running_executor()) running_executor()->give_up(error);
}

void overflow(const AtType* at, const char* sign, uintptr_t left, uintptr_t right) {
  const Type& type = *at->type;
  undefined(at->location, "signed overflow: " + number(type, left) + " " + sign + " " +
                              number(type, right) + " does not fit in " + type.text());
}

}  // namespace

#pragma GCC visibility push(hidden)

extern "C" {

void __ubsan_handle_add_overflow(AtType* at, uintptr_t left, uintptr_t right) {
  overflow(at, "+", left, right);
}
void __ubsan_handle_sub_overflow(AtType* at, uintptr_t left, uintptr_t right) {
  overflow(at, "-", left, right);
}
void __ubsan_handle_mul_overflow(AtType* at, uintptr_t left, uintptr_t right) {
  overflow(at, "*", left, right);
}
void __ubsan_handle_negate_overflow(AtType* at, uintptr_t value) { overflow(at, "-", 0, value); }
void __ubsan_handle_divrem_overflow(AtType* at, uintptr_t left, uintptr_t right) {
  if (at->type->is_integer() && right == 0) {
    undefined(at->location, "division of " + number(*at->type, left) + " by zero");
  } else {
    overflow(at, "/", left, right);
  }
}

void __ubsan_handle_shift_out_of_bounds(AtTypes* at, uintptr_t left, uintptr_t right) {
  undefined(at->location, "shift of " + number(*at->left, left) + " by " +
                              number(*at->right, right) + " bits in " + at->left->text());
}

void __ubsan_handle_out_of_bounds(AtTypes* at, uintptr_t index) {
  stop(found("out_of_bounds", at->location,
             "index " + number(*at->right, index) + " outside " + at->left->text()),
       opwright::emulated::kIllegalAddress);
}

void __ubsan_handle_type_mismatch_v1(TypeMismatch* at, uintptr_t address) {
  const uintptr_t alignment = uintptr_t{1} << at->log_alignment;
  if (!address) {
    stop(found("out_of_bounds", at->location, "a null pointer to " + at->type->text()),
         opwright::emulated::kIllegalAddress);
  } else if (address & (alignment - 1)) {
    stop(found("misaligned_access", at->location,
               at->type->text() + " at an address that is no multiple of " +
                   std::to_string(alignment)),
         opwright::emulated::kMisalignedAddress);
  } else {
    undefined(at->location, "too little memory for " + at->type->text());
  }
}

void __ubsan_handle_pointer_overflow(At* at, uintptr_t, uintptr_t) {
  undefined(at->location, "pointer arithmetic that overflows");
}
void __ubsan_handle_load_invalid_value(AtType* at, uintptr_t value) {
  undefined(at->location, std::to_string(value) + " is no value of " + at->type->text());
}
void __ubsan_handle_vla_bound_not_positive(AtType* at, uintptr_t) {
  undefined(at->location, "an array without a positive length");
}
void __ubsan_handle_float_cast_overflow(AtTypes* at, uintptr_t) {
  undefined(at->location,
            "a value of " + at->left->text() + " does not fit in " + at->right->text());
}
void __ubsan_handle_invalid_builtin(At* at) {
  undefined(at->location, "counting the leading or trailing zeros of zero");
}
void __ubsan_handle_nonnull_arg(At* at) {
  undefined(at->location, "a null pointer where none may be passed");
}
void __ubsan_handle_nonnull_return_v1(void*, Location* location) {
  undefined(*location, "a null pointer where none may be returned");
}
void __ubsan_handle_builtin_unreachable(At* at) {
  stop(found("undefined_behaviour", at->location, "code that cannot be reached is reached"),
       opwright::emulated::kLaunchFailure);
  __builtin_trap();
}
void __ubsan_handle_missing_return(At* at) {
  stop(found("undefined_behaviour", at->location,
             "a function ends without the value it is to return"),
       opwright::emulated::kLaunchFailure);
  __builtin_trap();
}
}

#pragma GCC visibility pop
