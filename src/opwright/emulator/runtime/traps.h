// What ends a kernel early.
#pragma once

namespace opwright {
namespace emulated {

// Lets AddressSanitizer, where it is loaded, name the kernel and the thread of an error.
void watch_for_address_errors();

}  // namespace emulated
}  // namespace opwright
