// What ends a kernel early: assert, __trap, and AddressSanitizer's errors.
#include "traps.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "errors.h"
#include "executor.h"
#include "findings.h"
#include "opwright/emulated/errors.h"
#include "sanitizer.h"

namespace opwright {
namespace emulated {
namespace {

void tell_address_error(const char*) {
  std::string message =
      __asan_get_report_description ? __asan_get_report_description() : "an error";
  Finding finding = found_here("address_error", message);
  if (__asan_get_report_pc) finding.pc = reinterpret_cast<uintptr_t>(__asan_get_report_pc());
  report(std::move(finding));
}

}  // namespace

void watch_for_address_errors() {
  static const bool once = [] {
    if (__asan_set_error_report_callback) __asan_set_error_report_callback(&tell_address_error);
    return true;
  }();
  (void)once;
}

void stop_kernel(const char* file, int line) {
  Finding finding = found_here("trap", "__trap() was called");
  finding.file = file;
  finding.line = line;
  report(std::move(finding));
  if (running_executor()) running_executor()->give_up(kLaunchFailure);
  abort();
}

}  // namespace emulated
}  // namespace opwright

// The library's own, in place of the C library's: a device's assert ends the kernel, not the
// process.
extern "C" __attribute__((visibility("hidden"))) void __assert_fail(
    const char* condition, const char* file, unsigned line, const char* function) noexcept(true);

extern "C" void __assert_fail(const char* condition, const char* file, unsigned line,
                              const char* function) noexcept(true) {
  using namespace opwright::emulated;
  if (Executor* executor = running_executor()) {
    Finding finding = found_here("device_assert", std::string("assertion failed: ") + condition);
    finding.file = file;
    finding.line = static_cast<int>(line);
    report(std::move(finding));
    executor->give_up(kAssert);
  }
  fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, condition);
  abort();
}
