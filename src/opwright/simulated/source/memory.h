// The caching allocator: blocks between red zones, filled where nobody may rely on their content,
// and used again in the order of their stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stream.h"

namespace opwright {
namespace simulated {

struct Block;

// Free blocks, by the stream that they belong to and their size.
struct Pool {
  bool retired = false;
  std::map<Stream*, std::multimap<size_t, Block*>> free;
};

// A pool whose blocks nobody else gets for as long as the graph lives that was captured with it.
std::shared_ptr<Pool> new_graph_pool();

// Memory for the use on `stream`; null for no bytes. Throws where there is none left.
void* allocate(Stream* stream, size_t size_bytes);
// Unknown addresses are let pass. A block is used again after what is on its stream, and after what
// is now on the streams that it was recorded for.
void release(void* memory);
void record_stream(void* memory, Stream* stream);

// Gives what nobody uses back to the system.
void empty_cache();

struct Count {
  int64_t current = 0, peak = 0, allocated = 0, freed = 0;
};

struct Statistics {
  Count blocks, bytes, requested_bytes, segments, reserved_bytes;
};

Statistics statistics_of(int device);
void reset_peaks(int device);
void reset_totals(int device);

// The byte that fresh memory is filled with.
void set_fresh_byte(uint8_t byte);

// Bytes outside of a block that somebody wrote.
struct Stray {
  int device;
  const char* block;
  size_t size;     // of the block
  int64_t offset;  // of the nearest byte to the block: negative before it, from `size` on after it
  int64_t count;   // of changed bytes on that side
};

// All strays since the last time. Waits for both devices.
std::vector<Stray> take_strays();

// Readable inside a signal handler.
struct Description {
  char text[256];
};
Description describe_address(const void* address);

}  // namespace simulated
}  // namespace opwright
