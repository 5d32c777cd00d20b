// Streams: queues of work, each with a thread of its own that does it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "arena.h"

namespace opwright {
namespace simulated {

struct Capture;

struct Task {
  std::string name;  // as it is in the journal of launches; empty: it is not
  std::function<void()> run;
  Devices devices;      // whose memory it may touch
  bool always = false;  // also on a device that has failed: somebody waits for it, or it is no work
  uint64_t launch = 0;  // its number in the journal
};

class Stream {
 public:
  Stream(int device, int64_t id);

  const int device;
  const int64_t id;  // 0: the device's default one

  // The stream is captured: what is put on it is kept for a graph.
  bool is_capturing() const;

  // Puts a task on the stream, or into the graph that it is captured for. Throws what the device
  // has failed with.
  void push(Task task);

  // The same, whether the stream is captured or not.
  void push_now(Task task);

  // Waits for all that is on the stream now. What the host waits for on its own account is
  // noted under `what`, and not permitted during a capture.
  void wait(const char* what);
  void wait_quietly();
  bool is_done();
  bool has_work();  // for the device's own use

  std::shared_ptr<Capture> capture;  // under the captures' lock

 private:
  void work();
  void run(const Task& task);

  std::mutex mutex_;
  std::condition_variable more_, less_;
  std::deque<Task> queue_;
  uint64_t pushed_ = 0, done_ = 0;
};

Stream* default_stream(int device);
Stream* new_stream(int device);
Stream* stream_of(int device, int64_t id);  // throws where there is none such
std::vector<Stream*> streams_of(int device);

// Of this thread.
Stream* current_stream(int device);
Stream* exchange_stream(Stream* stream);  // on its device; returns what was current there

// For what the device does for itself: nothing on it is captured, and nobody sees it.
Stream* own_stream(int device);

void wait_for_device(int device, const char* what);
void wait_for_device_quietly(int device);

// What the task that this thread runs is called, now that it says so itself.
void name_work(const std::string& name);
const std::string& name_of_work();

// Lets the stream's thread sleep.
void delay(Stream* stream, int64_t microseconds);

}  // namespace simulated
}  // namespace opwright
