// What became of launches: kept for cudaGetLastError, and told if nobody asks.
#pragma once

#include <string>

#include "executor.h"
#include "opwright/emulated/errors.h"

namespace opwright {
namespace emulated {

constexpr int kSuccess = 0;
constexpr int kInvalidValue = 1;
constexpr int kInvalidConfiguration = 9;
constexpr int kIllegalAddress = 700;
constexpr int kLaunchOutOfResources = 701;
constexpr int kAssert = 710;
constexpr int kMisalignedAddress = 716;
constexpr int kLaunchFailure = 719;
constexpr int kNotSupported = 801;

// A launch failed; `reason` says which rule of the device it broke.
void keep_launch_error(int error, const Launch& launch, const std::string& reason);

// An error after which, on a device, nothing works any more until the process ends.
bool is_lasting(int error);

// Tells of a launch error that nobody has asked for since.
void report_ignored_error();
void forget_errors();

}  // namespace emulated
}  // namespace opwright
