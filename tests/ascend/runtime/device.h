// A simulated Ascend device: its memory is the host's, and its streams are queues.
//
// Work that a stream is given waits until somebody waits for it, and is then done by whoever waits.
// So a forgotten synchronisation shows old values, every run is the same, and there are no threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

namespace simulated {

constexpr int kCubes = 24;
constexpr int kCores = 48;  // vector cores of the device: as many as full cores start

struct Range {
  char* begin;
  size_t bytes;
};

// One thing that a stream does. `cores` is 0 for what is no kernel; `scope` counts SuperKernel
// scopes from 1.
struct Task {
  std::function<void()> run;
  std::vector<Range> reads;
  std::vector<Range> writes;
  int cores = 0;
  int scope = 0;
};

struct Graph {
  std::vector<Task> tasks;
  bool optimised = false;              // aclskOptimize was called
  bool a_kernel_per_operator = false;  // debug_per_op_max_core_num
};

class Stream {
 public:
  explicit Stream(int id) : id(id) {}

  // Queue the task, or record it where the stream is being captured.
  void give(Task task);
  // Do what was queued, up to the task with this number (counted from 1).
  void finish(uint64_t number);
  void finish() { finish(given_); }
  void replay(const Graph& graph);
  uint64_t given() const { return given_; }

  const int id;
  Graph* capturing = nullptr;
  int scope = 0;  // the open SuperKernel scope, 0 for none

 private:
  std::deque<Task> queue_;
  uint64_t given_ = 0;
  uint64_t done_ = 0;
};

// What goes wrong with fused kernels, by OPWRIGHT_SIMULATED_ACL_FAULT; no fault where that is not
// set.
bool fault(const char* name);

// A line for the file that OPWRIGHT_SIMULATED_ACL_LOG names.
void note(const std::string& line);

}  // namespace simulated
