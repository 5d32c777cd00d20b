#include "stream.h"

#include <dlfcn.h>

#include <chrono>
#include <thread>

#include "capture.h"
#include "device.h"
#include "faults.h"
#include "journal.h"

namespace opwright {
namespace simulated {
namespace {

// Streams live as long as the process: their threads do.
struct Streams {
  std::mutex mutex;
  std::vector<Stream*> of[kDevices];
  Stream* own[kDevices] = {};
};

Streams& streams() {
  static Streams* all = new Streams;
  return *all;
}

thread_local Stream* current[kDevices] = {};
thread_local const Task* running_task = nullptr;
thread_local std::string running_name;

// PyTorch's CPU kernels would start threads for each stream.
void use_one_thread() {
  using Set = void (*)(int);
  if (auto set = reinterpret_cast<Set>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"))) set(1);
}

}  // namespace

Stream::Stream(int device, int64_t id) : device(device), id(id) {
  std::thread([this] { work(); }).detach();
}

void Stream::work() {
  use_one_thread();
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    more_.wait(lock, [this] { return !queue_.empty(); });
    {
      Task task = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      if (task.always || !has_failed(device)) run(task);
    }  // what the task holds is gone before anybody hears that it is done
    lock.lock();
    ++done_;
    less_.notify_all();
  }
}

void Stream::run(const Task& task) {
  const Access access(task.devices);
  running_task = &task;
  running_name = task.name;
  try {
    if (const std::string fault = run_catching_faults(task.run, task.name); !fault.empty()) {
      fail_device(device, kIllegalAddress, fault);
    }
  } catch (const Error& error) {
    fail_device(device, error.number, error.what_without_backtrace());
  } catch (const c10::Error& error) {
    fail_device(device, kLaunchFailure, task.name + ": " + error.what_without_backtrace());
  } catch (const std::exception& error) {
    fail_device(device, kLaunchFailure, task.name + ": " + error.what());
  }
}

bool Stream::is_capturing() const { return captured_for(this) != nullptr; }

void Stream::push(Task task) {
  require_working(device);
  if (!task.name.empty()) task.launch = launches().note(device, id, task.name);
  if (const std::shared_ptr<Capture> into = captured_for(this)) {
    keep_task(into, this, std::move(task));
    return;
  }
  push_now(std::move(task));
}

void Stream::push_now(Task task) {
  std::lock_guard<std::mutex> lock(mutex_);
  queue_.push_back(std::move(task));
  ++pushed_;
  more_.notify_one();
}

void Stream::wait(const char* what) {
  forbid_during_capture(what);
  synchronizations().note(device, id, what);
  wait_quietly();
  require_working(device);
}

void Stream::wait_quietly() {
  std::unique_lock<std::mutex> lock(mutex_);
  const uint64_t until = pushed_;
  less_.wait(lock, [this, until] { return done_ >= until; });
}

bool Stream::is_done() {
  forbid_during_capture("asking whether a stream is done");
  return !has_work();
}

bool Stream::has_work() {
  std::lock_guard<std::mutex> lock(mutex_);
  return done_ != pushed_;
}

Stream* default_stream(int device) { return stream_of(device, 0); }

Stream* new_stream(int device) {
  default_stream(device);
  std::lock_guard<std::mutex> lock(streams().mutex);
  std::vector<Stream*>& all = streams().of[device];
  all.push_back(new Stream(device, static_cast<int64_t>(all.size())));
  return all.back();
}

Stream* stream_of(int device, int64_t id) {
  std::lock_guard<std::mutex> lock(streams().mutex);
  std::vector<Stream*>& all = streams().of[device];
  if (all.empty()) all.push_back(new Stream(device, 0));
  if (id >= 0 && id < static_cast<int64_t>(all.size())) return all[static_cast<size_t>(id)];
  throw Error(kInvalidHandle, name_of(device) + " has no stream " + std::to_string(id));
}

std::vector<Stream*> streams_of(int device) {
  std::lock_guard<std::mutex> lock(streams().mutex);
  return streams().of[device];
}

Stream* own_stream(int device) {
  std::lock_guard<std::mutex> lock(streams().mutex);
  Stream*& own = streams().own[device];
  if (!own) own = new Stream(device, -1);
  return own;
}

Stream* current_stream(int device) {
  if (!current[device]) current[device] = default_stream(device);
  return current[device];
}

Stream* exchange_stream(Stream* stream) {
  Stream* before = current_stream(stream->device);
  current[stream->device] = stream;
  return before;
}

void wait_for_device(int device, const char* what) {
  forbid_during_capture(what);
  synchronizations().note(device, -1, what);
  wait_for_device_quietly(device);
  require_working(device);
}

void wait_for_device_quietly(int device) {
  for (Stream* stream : streams_of(device)) stream->wait_quietly();
}

void name_work(const std::string& name) {
  if (!running_task) return;
  running_name = name;
  launches().rename(running_task->launch, name);
  name_in_faults(name);
}

const std::string& name_of_work() { return running_name; }

void delay(Stream* stream, int64_t microseconds) {
  const auto sleep = [microseconds] {
    std::this_thread::sleep_for(std::chrono::microseconds(microseconds));
  };
  stream->push({"delay", sleep, 0});
}

}  // namespace simulated
}  // namespace opwright
