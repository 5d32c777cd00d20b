#include "event.h"

#include "device.h"
#include "journal.h"

namespace opwright {
namespace simulated {

void Event::record(Stream* stream) {
  require_working(stream->device);
  const std::shared_ptr<Capture> capture = captured_for(stream);
  uint64_t version;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    stream_ = stream;
    capture_ = capture;
    captured_ = capture != nullptr;
    if (captured_) {
      kept_ = kept_of(capture, stream);
      return;
    }
    version = ++recorded_;
  }
  stream->push_now({"", [self = shared_from_this(), version] { self->reach(version); }, 0, true});
}

void Event::block(Stream* stream) {
  uint64_t version;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    if (captured_) {
      const std::shared_ptr<Capture> capture = capture_.lock();
      if (!capture) throw Error(kCapturedEvent, "the event is one of a capture that has ended");
      lock.unlock();
      join_capture(capture, stream, stream_, kept_);
      return;
    }
    version = recorded_;
  }
  if (const std::shared_ptr<Capture> capture = captured_for(stream)) {
    if (is_done()) return;
    break_capture(capture, kCaptureIsolation, "waiting for work that is not part of the capture");
  }
  const auto wait = [self = shared_from_this(), version] { self->wait_until(version); };
  stream->push_now({"", wait, 0, true});
}

bool Event::is_done() {
  require_not_captured("asking whether it is done");
  std::lock_guard<std::mutex> lock(mutex_);
  return reached_ >= recorded_;
}

void Event::wait() {
  require_not_captured("waiting for it");
  forbid_during_capture("waiting for an event");
  uint64_t version;
  Stream* stream;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    version = recorded_;
    stream = stream_;
  }
  if (!stream) return;
  synchronizations().note(stream->device, stream->id, "waiting for an event");
  wait_until(version);
  require_working(stream->device);
}

double Event::elapsed_ms(Event& from, Event& to) {
  if (!from.stream_ || !to.stream_) {
    throw Error(kInvalidHandle, "both events have to be recorded before time is taken");
  }
  if (!from.is_done() || !to.is_done()) throw Error(kNotReady, "the events have not been reached");
  return std::chrono::duration<double, std::milli>(to.time_ - from.time_).count();
}

void Event::reach(uint64_t version) {
  std::lock_guard<std::mutex> lock(mutex_);
  reached_ = version;
  time_ = Clock::now();
  reached_changed_.notify_all();
}

void Event::wait_until(uint64_t version) {
  std::unique_lock<std::mutex> lock(mutex_);
  reached_changed_.wait(lock, [this, version] { return reached_ >= version; });
}

void Event::require_not_captured(const char* what) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (captured_) {
    throw Error(kCapturedEvent,
                std::string("an event was recorded in a capture: ") + what + " is not permitted");
  }
}

}  // namespace simulated
}  // namespace opwright
