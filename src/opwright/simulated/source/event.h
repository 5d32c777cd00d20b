// Events: points in the work of a stream, to wait for and to take the time at.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "capture.h"
#include "stream.h"

namespace opwright {
namespace simulated {

class Event : public std::enable_shared_from_this<Event> {
 public:
  void record(Stream* stream);
  // Makes the stream wait for what was recorded last.
  void block(Stream* stream);
  bool is_done();
  void wait();
  // Milliseconds between two events, which the host has to have waited for.
  static double elapsed_ms(Event& from, Event& to);

 private:
  using Clock = std::chrono::steady_clock;

  void reach(uint64_t version);
  void wait_until(uint64_t version);
  void require_not_captured(const char* what);

  std::mutex mutex_;
  std::condition_variable reached_changed_;
  uint64_t recorded_ = 0, reached_ = 0;
  Clock::time_point time_{};
  Stream* stream_ = nullptr;  // the last one that it was recorded on
  std::weak_ptr<Capture> capture_;
  bool captured_ = false;
  uint64_t kept_ = 0;  // tasks of the captured stream that it comes after
};

}  // namespace simulated
}  // namespace opwright
