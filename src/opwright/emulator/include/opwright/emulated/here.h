// Which thread of which block is running: what threadIdx and its like mean.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "vectors.h"

namespace opwright {
namespace emulated {

constexpr int kMostThreads = 1024;  // of a block
constexpr int kMostWaves = kMostThreads / 32;

// Lanes of one wave as bits. A lane that has not begun is live.
struct Wave {
  uint64_t live;
  uint64_t at_barrier;
  uint64_t in_collective;
};

struct ThreadState;  // the runtime's own
struct Fiber;

struct Thread {
  uint3 index;
  uint32_t rank;
  uint16_t lane, wave;
  ThreadState* state;
  mutable Fiber* fiber;  // of a thread that waits
};

// The block that this host thread runs.
struct Block {
  uint3 index;
  dim3 dim;
  dim3 grid;
  uint32_t threads;
  uint32_t begun;                 // of `sequence`
  uint32_t suspended;             // threads that wait, or are to go on
  bool steady;                    // threads may begin in sequence, with nothing to decide
  const Thread* const* sequence;  // the order in which threads begin
  Wave waves[kMostWaves];
  const char* kernel;   // what it said of itself on entry
  void* const* shared;  // what stands at a slot of shared memory; null: nothing yet
};

struct Here {
  const Thread* thread;  // null outside kernels
  Block* block;
};

// One small block of static thread-local memory, so that no access to it is a call.
extern thread_local Here here __attribute__((tls_model("initial-exec"), visibility("hidden")));

OPWRIGHT_EMULATED_HIDDEN uint3 thread_index() { return here.thread->index; }
OPWRIGHT_EMULATED_HIDDEN uint3 block_index() { return here.block->index; }
OPWRIGHT_EMULATED_HIDDEN dim3 block_dim() { return here.block->dim; }
OPWRIGHT_EMULATED_HIDDEN dim3 grid_dim() { return here.block->grid; }

// Ends the running thread. False: this stack has no other to run.
bool finish_thread();

OPWRIGHT_EMULATED_HIDDEN bool next_thread() {
  Block* block = here.block;
  if (!block->steady || block->suspended) return finish_thread();
  block->waves[here.thread->wave].live &= ~(uint64_t{1} << here.thread->lane);
  if (block->begun == block->threads) return false;
  here.thread = block->sequence[block->begun++];
  return true;
}

}  // namespace emulated
}  // namespace opwright

#define threadIdx (::opwright::emulated::thread_index())
#define blockIdx (::opwright::emulated::block_index())
#define blockDim (::opwright::emulated::block_dim())
#define gridDim (::opwright::emulated::grid_dim())
constexpr int warpSize = OPWRIGHT_WAVE_SIZE;
