// Attributes of kernels, and the work that streams are given besides kernels.
#pragma once

#include <stddef.h>

#include "launch.h"

namespace opwright {
namespace emulated {

// `kernel` as written in the source. Returns an error's number.
int set_dynamic_shared_limit(const char* kernel, long long size_bytes, Vendor vendor);

// A handle of its own; nothing is behind it.
Stream new_stream();

// Notes that work other than a kernel is put on the stream.
void work_on_stream(Stream stream, const char* what, const char* file, int line);

}  // namespace emulated
}  // namespace opwright
