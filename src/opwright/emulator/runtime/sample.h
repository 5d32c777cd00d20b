// One wave of a watched launch, looked at as hardware would: which lanes reach a place together,
// how many sectors of memory their accesses take, and whether they meet in one bank. What is seen
// is reported as notes: hints of what a device would be slow at, not faults.
#pragma once

#include <cstddef>
#include <cstdint>

namespace opwright {
namespace emulated {

class Executor;

// An access of the running thread; all but the first wave of the first block are left out.
void sample_access(Executor* executor, uintptr_t address, size_t size_bytes, bool write,
                   bool shared, uintptr_t pc);

void begin_sample();
void end_sample();

}  // namespace emulated
}  // namespace opwright
