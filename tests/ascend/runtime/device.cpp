#include "device.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

namespace simulated {
namespace {

constexpr size_t kCacheLine = 64;

using Tasks = std::vector<Task>;

// What lay in the first line of a range before its fused kernel started.
struct OldLine {
  Range range;
  std::vector<char> bytes;
};

bool overlap(const Range& one, const Range& other) {
  return one.begin < other.begin + other.bytes && other.begin < one.begin + one.bytes;
}

bool is_written(const Range& range, Tasks::const_iterator from, Tasks::const_iterator to) {
  return std::any_of(from, to, [&](const Task& task) {
    return std::any_of(task.writes.begin(), task.writes.end(),
                       [&](const Range& written) { return overlap(range, written); });
  });
}

// A core still has in its cache what lay there before: the first line of whatever was written in
// the scope.
void run_with_stale_lines(const Tasks& tasks) {
  std::vector<OldLine> old;
  for (const Task& task : tasks)
    for (const Range& range : task.reads) {
      const size_t bytes = std::min(range.bytes, kCacheLine);
      old.push_back({{range.begin, bytes}, {range.begin, range.begin + bytes}});
    }
  auto line = old.begin();
  for (auto task = tasks.begin(); task != tasks.end(); ++task) {
    std::vector<OldLine> fresh;
    for (size_t i = 0; i < task->reads.size(); ++i, ++line) {
      if (!is_written(line->range, tasks.begin(), task)) continue;
      const Range range = line->range;
      fresh.push_back({range, {range.begin, range.begin + range.bytes}});
      std::memcpy(range.begin, line->bytes.data(), range.bytes);
    }
    task->run();
    for (const OldLine& back : fresh)
      if (!is_written(back.range, task, task + 1))
        std::memcpy(back.range.begin, back.bytes.data(), back.range.bytes);
  }
}

// Cores that a kernel was not launched on never come to the point where it waits for all of them.
void wait_for_all_cores(const Task& task, int cores) {
  if (!fault("fewer_cores") || task.cores >= cores) return;
  note("hang: a kernel on " + std::to_string(task.cores) + " of " + std::to_string(cores) +
       " cores");
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// One SuperKernel: it starts as many cores as the largest of its operators.
void run_fused(const Tasks& tasks, bool full_cores) {
  int cores = full_cores ? kCores : 0;
  for (const Task& task : tasks) cores = std::max(cores, task.cores);
  note("fused " + std::to_string(tasks.size()) + " cores " + std::to_string(cores));
  for (const Task& task : tasks) wait_for_all_cores(task, cores);
  if (fault("stale_cache")) {
    run_with_stale_lines(tasks);
  } else if (fault("missing_sync")) {
    for (auto task = tasks.rbegin(); task != tasks.rend(); ++task) task->run();
  } else {
    for (const Task& task : tasks) task.run();
  }
}

}  // namespace

bool fault(const char* name) {
  const char* injected = std::getenv("OPWRIGHT_SIMULATED_ACL_FAULT");
  return injected != nullptr && std::strcmp(injected, name) == 0;
}

void note(const std::string& line) {
  const char* path = std::getenv("OPWRIGHT_SIMULATED_ACL_LOG");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fprintf(file, "%s\n", line.c_str());
  std::fclose(file);
}

void Stream::give(Task task) {
  if (capturing != nullptr) {
    task.scope = task.cores > 0 ? scope : 0;
    capturing->tasks.push_back(std::move(task));
    return;
  }
  queue_.push_back(std::move(task));
  ++given_;
}

void Stream::finish(uint64_t number) {
  while (done_ < number && !queue_.empty()) {
    const Task task = std::move(queue_.front());
    queue_.pop_front();
    ++done_;
    task.run();
  }
}

void Stream::replay(const Graph& graph) {
  if (fault("empty_replay")) return;
  const Tasks& tasks = graph.tasks;
  for (size_t begin = 0; begin < tasks.size();) {
    const int scope = graph.optimised ? tasks[begin].scope : 0;
    size_t end = begin + 1;
    const bool together = scope != 0 && !graph.a_kernel_per_operator;
    while (together && end < tasks.size() && tasks[end].scope == scope) ++end;
    if (scope == 0) {
      give(tasks[begin]);
    } else {
      const Tasks fused(tasks.begin() + begin, tasks.begin() + end);
      const bool full_cores = graph.a_kernel_per_operator;
      give({[fused, full_cores] { run_fused(fused, full_cores); }, {}, {}, 0, 0});
    }
    begin = end;
  }
}

}  // namespace simulated
