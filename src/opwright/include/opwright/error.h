// What a kernel throws when it refuses a call; the caller in Python gets the message.
#pragma once

#include <exception>

namespace opwright {

// `message` has to outlive the exception: pass a string literal. (std::runtime_error would bring
// <string> into every kernel, which costs more to compile than the rest of this header.)
class KernelError : public std::exception {
 public:
  explicit KernelError(const char* message) noexcept : message_(message) {}
  const char* what() const noexcept override { return message_; }

 private:
  const char* message_;
};

}  // namespace opwright
