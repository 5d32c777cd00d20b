// Why a binding refuses a call, put together without <string>, which takes longer to compile than
// the rest of the binding.
#pragma once

#include <stdint.h>

#include <cstdio>
#include <cstdlib>
#include <exception>

namespace opwright {
namespace binding {

// A message that grows at its end, up to a bound that no sensible message reaches.
class Message {
 public:
  template <typename... Values>
  Message& add(const char* format, Values... values) {
    const int room = static_cast<int>(sizeof(text_)) - length_;
    const int wanted = std::snprintf(text_ + length_, room, format, values...);
    length_ += wanted < 0 ? 0 : wanted < room ? wanted : room - 1;
    return *this;
  }

  Message& add_list(const int64_t* values, int64_t count) {
    add("[");
    for (int64_t i = 0; i < count; ++i)
      add("%s%lld", i ? ", " : "", static_cast<long long>(values[i]));
    return add("]");
  }

  // A number as its reader would write it: 1e-05 and not 1.0000000000000001e-05.
  Message& add_number(double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.15g", value);
    return add(std::strtod(text, nullptr) == value ? "%.15g" : "%.17g", value);
  }

  const char* text() const { return text_; }

 private:
  char text_[1024] = "";
  int length_ = 0;
};

// PyTorch turns it into a RuntimeError with this message.
class Refusal : public std::exception {
 public:
  explicit Refusal(const Message& message) : message_(message) {}
  const char* what() const noexcept override { return message_.text(); }

 private:
  Message message_;
};

}  // namespace binding
}  // namespace opwright
