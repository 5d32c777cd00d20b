// The errors that the runtime functions return, by their numbers in CUDA and HIP, and the state
// that they are kept in.
#pragma once

namespace opwright {
namespace emulated {

int take_error();                   // cudaGetLastError
int peek_error();                   // cudaPeekAtLastError
int keep_error(int error);          // returns it

[[noreturn]] void stop_kernel(const char* file, int line);  // __trap

const char* error_name(int error);  // without the vendor's prefix
const char* error_text(int error);

}  // namespace emulated
}  // namespace opwright
