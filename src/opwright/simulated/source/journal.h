// What was put on streams, and what the host has waited for.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace opwright {
namespace simulated {

struct Entry {
  int device;
  int64_t stream;  // -1: of none
  std::string name;
};

class Journal {
 public:
  // A number by which the entry can be named anew.
  uint64_t note(int device, int64_t stream, const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (entries_.size() < kMost) entries_.push_back({device, stream, name});
    return taken_ + entries_.size() - 1;
  }

  void rename(uint64_t number, const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (number >= taken_ && number - taken_ < entries_.size()) {
      entries_[number - taken_].name = name;
    }
  }

  // All since the last time.
  std::vector<Entry> take() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Entry> taken;
    taken.swap(entries_);
    taken_ += taken.size();
    return taken;
  }

 private:
  static constexpr size_t kMost = 65536;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  uint64_t taken_ = 0;
};

// Kernels, copies and fills, in the order in which they were put on streams.
inline Journal& launches() {
  static Journal* journal = new Journal;
  return *journal;
}

// What made the host wait: a stream, a device, an event, a copy to the host.
inline Journal& synchronizations() {
  static Journal* journal = new Journal;
  return *journal;
}

}  // namespace simulated
}  // namespace opwright
