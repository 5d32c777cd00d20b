// Memory of the device, which is the host's here, and what the emulator knows of it.
#pragma once

#include <stddef.h>

namespace opwright {
namespace emulated {

// Filled with a pattern that is NaN as any floating-point type. Return errors' numbers.
int allocate(void** memory, size_t size_bytes);
int release(void* memory);

}  // namespace emulated
}  // namespace opwright
