// The functions by which a host program drives the emulator; see
// include/opwright/emulated/control.h.
#include "opwright/emulated/control.h"

#include <string>

#include "access.h"
#include "errors.h"
#include "findings.h"
#include "kernels.h"
#include "limits.h"
#include "options.h"

using namespace opwright::emulated;

int opwright_emulated_set(const char* name, const char* value) {
  return set_option(name, value) ? 0 : 1;
}

void opwright_emulated_finish() { report_ignored_error(); }

const char* opwright_emulated_findings() {
  static thread_local std::string text;
  text = findings_json();
  return text.c_str();
}

const char* opwright_emulated_kernels() {
  static thread_local std::string text;
  text = kernels_json();
  return text.c_str();
}

void opwright_emulated_region(const void* begin, size_t size_bytes, const char* name) {
  add_region(begin, size_bytes, name);
}

void opwright_emulated_leave_region(const void* begin, size_t size_bytes) {
  leave_region(begin, size_bytes);
}

void opwright_emulated_reset() {
  forget_findings();
  forget_kernels();
  forget_errors();
  forget_shared_limits();
  forget_regions();
}
