// Graphs: work that is put on a stream while it is captured, to be done again and again.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "stream.h"

namespace opwright {
namespace simulated {

struct Pool;

// A capture under way, and the streams that take part in it.
struct Capture {
  Stream* origin = nullptr;
  std::vector<Task> tasks;
  std::map<Stream*, uint64_t> kept;    // how many tasks came from a stream
  std::map<Stream*, uint64_t> joined;  // how many of them the origin has waited for
  std::shared_ptr<Pool> pool;          // of what is allocated meanwhile
  std::string broken;                  // what was done that is not permitted
};

// What a capture has become. Its tasks run one after another, in the order in which they came.
struct Graph {
  int device;
  std::vector<Task> tasks;
  std::shared_ptr<Pool> pool;
};

// What a stream is captured for; null: it is not.
std::shared_ptr<Capture> captured_for(const Stream* stream);

uint64_t kept_of(const std::shared_ptr<Capture>& capture, Stream* stream);
void keep_task(const std::shared_ptr<Capture>& capture, Stream* stream, Task task);

// The stream waits for an event of the capture. `kept` is how much of `from` the event comes after.
void join_capture(const std::shared_ptr<Capture>& capture, Stream* stream, Stream* from,
                  uint64_t kept);

// Throws while any stream is captured, and leaves that capture without a result.
void forbid_during_capture(const std::string& what);
[[noreturn]] void break_capture(const std::shared_ptr<Capture>& capture, int number,
                                const std::string& what);

void begin_capture(Stream* stream, std::shared_ptr<Pool> pool);

// Throws where something was done that is not permitted. The stream is free again in any case.
std::unique_ptr<Graph> end_capture(Stream* stream);

void replay(const Graph& graph, Stream* stream);

}  // namespace simulated
}  // namespace opwright
