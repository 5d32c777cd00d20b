// The functions by which a host program drives the emulator; see
// include/opwright/emulated/control.h.
#include "opwright/emulated/control.h"

#include <memory>
#include <string>

#include "access.h"
#include "errors.h"
#include "findings.h"
#include "kernels.h"
#include "limits.h"
#include "options.h"

using namespace opwright::emulated;

namespace {

const char* kept(std::string&& text) {
  static thread_local std::unique_ptr<std::string> last;
  last = std::make_unique<std::string>(std::move(text));
  return last->c_str();
}

}  // namespace

int opwright_emulated_set(const char* name, const char* value) {
  return set_option(name, value) ? 0 : 1;
}

void opwright_emulated_finish() { report_ignored_error(); }

const char* opwright_emulated_findings() { return kept(findings_json()); }

const char* opwright_emulated_kernels() { return kept(kernels_json()); }

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
