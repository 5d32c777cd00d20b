// Watches the memory accesses of kernels: races, unwritten shared memory, bounds, alignment,
// traffic.
//
// Only kernels compiled with -fsanitize=thread are watched. Their blocks run one after another on
// one host thread, so nothing here locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "executor.h"

namespace opwright {
namespace emulated {

enum class AccessKind : uint8_t { none, read, write, atomic };

// An access of the running thread; outside kernels it is none of ours. `natural`: the compiler
// takes the address to be a multiple of the size.
void on_access(const void* address, size_t size_bytes, AccessKind kind, uintptr_t pc, bool natural);
void on_fence();

void begin_watched_launch();
void end_watched_launch(Launch* launch);
void begin_watched_block(Executor* executor, ThreadState* states, uint32_t threads);
void end_watched_block(Executor* executor);

// __syncwarp: what one of the lanes did before it, all of them see after it.
void order_memory_of_wave(Executor* executor, int wave, uint64_t lanes);

void add_region(const void* begin, size_t size_bytes, const std::string& name);
void leave_region(const void* begin, size_t size_bytes);
void forget_regions();

}  // namespace emulated
}  // namespace opwright
