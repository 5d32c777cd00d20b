#include "errors.h"

#include <atomic>
#include <memory>

#include "findings.h"
#include "kernels.h"

namespace opwright {
namespace emulated {
namespace {

thread_local int last_error = kSuccess;
// The launch error that nobody has asked for yet. A pointer: a library with `here` has all of its
// thread-local memory in the process's few bytes of static one, so there must be little of it.
thread_local std::unique_ptr<Finding> unread;
std::atomic<int> lasting{kSuccess};

struct Known {
  int error;
  const char* cuda_name;
  const char* hip_name;
  const char* text;
};

constexpr Known kErrors[] = {
    {kSuccess, "cudaSuccess", "hipSuccess", "no error"},
    {kInvalidValue, "cudaErrorInvalidValue", "hipErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "hipErrorMemoryAllocation", "out of memory"},
    {kInvalidConfiguration, "cudaErrorInvalidConfiguration", "hipErrorInvalidConfiguration",
     "invalid configuration argument"},
    {101, "cudaErrorInvalidDevice", "hipErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "hipErrorInvalidResourceHandle",
     "invalid resource handle"},
    {600, "cudaErrorNotReady", "hipErrorNotReady", "device not ready"},
    {900, "cudaErrorStreamCaptureUnsupported", "hipErrorStreamCaptureUnsupported",
     "operation not permitted when stream is capturing"},
    {kIllegalAddress, "cudaErrorIllegalAddress", "hipErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {kLaunchOutOfResources, "cudaErrorLaunchOutOfResources", "hipErrorLaunchOutOfResources",
     "too many resources requested for launch"},
    {kAssert, "cudaErrorAssert", "hipErrorAssert", "device-side assert triggered"},
    {kMisalignedAddress, "cudaErrorMisalignedAddress", "hipErrorMisalignedAddress",
     "misaligned address"},
    {kLaunchFailure, "cudaErrorLaunchFailure", "hipErrorLaunchFailure",
     "unspecified launch failure"},
    {kNotSupported, "cudaErrorNotSupported", "hipErrorNotSupported", "operation not supported"},
};

const Known& known_error(int error) {
  static constexpr Known kOther = {-1, "cudaErrorUnknown", "hipErrorUnknown", "unknown error"};
  for (const Known& entry : kErrors) {
    if (entry.error == error) return entry;
  }
  return kOther;
}

}  // namespace

bool is_lasting(int error) {
  return error == kIllegalAddress || error == kAssert || error == kMisalignedAddress ||
         error == kLaunchFailure;
}

int lasting_error() { return lasting; }

int peek_error() {
  unread.reset();
  return lasting ? lasting.load() : last_error;
}

int take_error() {
  const int error = peek_error();
  last_error = kSuccess;
  return error;
}

int keep_error(int error) {
  if (error) last_error = error;
  if (is_lasting(error)) lasting = error;
  return error;
}

void keep_launch_error(int error, const Launch& launch, const std::string& reason) {
  keep_error(error);
  Finding finding{};
  finding.kind = "launch_refused";
  finding.kernel = kernel_name(launch);
  finding.file = launch.site->file;
  finding.line = launch.site->line;
  finding.message = reason;
  finding.note = true;
  finding.count = 1;
  report(finding);
  finding.kind = "ignored_launch_error";
  finding.message = "the launch failed (" + reason + "), and nobody asked for the error";
  finding.note = false;
  unread = std::make_unique<Finding>(finding);
}

void report_ignored_error() {
  if (unread) report(*unread);
  unread.reset();
}

void forget_errors() {
  last_error = kSuccess;
  lasting = kSuccess;
  unread.reset();
}

const char* error_name(int error, Vendor vendor) {
  const Known& entry = known_error(error);
  return vendor == Vendor::hip ? entry.hip_name : entry.cuda_name;
}

const char* error_text(int error) { return known_error(error).text; }

}  // namespace emulated
}  // namespace opwright
