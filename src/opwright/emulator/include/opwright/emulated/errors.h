// The errors that the runtime functions return, by their numbers in CUDA and HIP, and the state
// that they are kept in.
#pragma once

#include "vendor.h"

namespace opwright {
namespace emulated {

int take_error();           // cudaGetLastError
int peek_error();           // cudaPeekAtLastError
int keep_error(int error);  // returns it
int lasting_error();        // of a kernel that failed: from then on, everything fails

const char* error_name(int error, Vendor vendor);
const char* error_text(int error);

[[noreturn]] void stop_kernel(const char* file, int line);  // __trap

}  // namespace emulated
}  // namespace opwright
