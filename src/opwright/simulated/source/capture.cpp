#include "capture.h"

#include <atomic>
#include <set>

#include "device.h"
#include "journal.h"

namespace opwright {
namespace simulated {
namespace {

std::mutex& capture_mutex = *new std::mutex;
auto& active = *new std::set<std::shared_ptr<Capture>>;
std::atomic<int> active_count{0};

void leave(const std::shared_ptr<Capture>& capture) {
  for (auto& [stream, count] : capture->kept) stream->capture = nullptr;
  active.erase(capture);
  active_count = static_cast<int>(active.size());
}

}  // namespace

std::shared_ptr<Capture> captured_for(const Stream* stream) {
  if (!active_count) return nullptr;
  std::lock_guard<std::mutex> lock(capture_mutex);
  return stream->capture;
}

uint64_t kept_of(const std::shared_ptr<Capture>& capture, Stream* stream) {
  std::lock_guard<std::mutex> lock(capture_mutex);
  return capture->kept[stream];
}

void keep_task(const std::shared_ptr<Capture>& capture, Stream* stream, Task task) {
  std::lock_guard<std::mutex> lock(capture_mutex);
  capture->tasks.push_back(std::move(task));
  ++capture->kept[stream];
}

void join_capture(const std::shared_ptr<Capture>& capture, Stream* stream, Stream* from,
                  uint64_t kept) {
  std::lock_guard<std::mutex> lock(capture_mutex);
  if (!active.count(capture)) {
    throw Error(kCapturedEvent, "waiting for an event of a capture that has ended");
  }
  stream->capture = capture;
  capture->kept.emplace(stream, 0);
  if (stream == capture->origin) capture->joined[from] = kept;
}

void forbid_during_capture(const std::string& what) {
  if (!active_count) return;
  std::shared_ptr<Capture> capture;
  {
    std::lock_guard<std::mutex> lock(capture_mutex);
    if (active.empty()) return;
    capture = *active.begin();
  }
  break_capture(capture, kCaptureUnsupported, what);
}

void break_capture(const std::shared_ptr<Capture>& capture, int number, const std::string& what) {
  std::lock_guard<std::mutex> lock(capture_mutex);
  if (capture->broken.empty()) capture->broken = what;
  throw Error(number, what + " is not permitted while a stream is captured");
}

void begin_capture(Stream* stream, std::shared_ptr<Pool> pool) {
  require_working(stream->device);
  std::lock_guard<std::mutex> lock(capture_mutex);
  if (stream->id == 0) {
    throw Error(kCaptureUnsupported, "the default stream cannot be captured: use another one");
  }
  if (stream->capture) throw Error(kCaptureUnsupported, "the stream is captured already");
  auto capture = std::make_shared<Capture>();
  capture->origin = stream;
  capture->kept.emplace(stream, 0);
  capture->pool = std::move(pool);
  stream->capture = capture;
  active.insert(capture);
  active_count = static_cast<int>(active.size());
}

std::unique_ptr<Graph> end_capture(Stream* stream) {
  std::lock_guard<std::mutex> lock(capture_mutex);
  const std::shared_ptr<Capture> capture = stream->capture;
  if (!capture || capture->origin != stream) {
    throw Error(kCaptureUnsupported, "no capture was begun on this stream");
  }
  leave(capture);
  if (!capture->broken.empty()) {
    throw Error(kCaptureInvalidated, "the capture failed: " + capture->broken +
                                         " is not permitted while a stream is captured");
  }
  for (const auto& [other, kept] : capture->kept) {
    if (other == stream || capture->joined[other] == kept) continue;
    throw Error(kCaptureUnjoined, "the capture failed: stream " + std::to_string(other->id) +
                                      " took part in it, and was not waited for at the end");
  }
  auto graph = std::make_unique<Graph>();
  graph->device = stream->device;
  graph->tasks = std::move(capture->tasks);
  graph->pool = capture->pool;
  return graph;
}

void replay(const Graph& graph, Stream* stream) {
  forbid_during_capture("replaying a graph");
  require_working(graph.device);
  if (stream->device != graph.device) {
    throw Error(kInvalidHandle, "the graph is one of " + name_of(graph.device) +
                                    ", the stream one of " + name_of(stream->device));
  }
  for (const Task& task : graph.tasks) {
    Task again = task;
    if (!task.name.empty()) again.launch = launches().note(graph.device, stream->id, task.name);
    stream->push_now(std::move(again));
  }
}

}  // namespace simulated
}  // namespace opwright
