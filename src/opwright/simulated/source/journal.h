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
  char name[96];   // cut where it is longer
};

// The newest entries. Their memory is there from the start: who looks for leaks finds none here.
class Journal {
 public:
  Journal() : entries_(kMost) {}

  // A number by which the entry can be named anew.
  uint64_t note(int device, int64_t stream, const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    Entry& entry = entries_[end_ % kMost];
    entry.device = device;
    entry.stream = stream;
    set_name(&entry, name);
    if (++end_ - begin_ > kMost) ++begin_;
    return end_ - 1;
  }

  void rename(uint64_t number, const std::string& name) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (number >= begin_ && number < end_) set_name(&entries_[number % kMost], name);
  }

  // All since the last time.
  std::vector<Entry> take() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<Entry> taken;
    for (; begin_ < end_; ++begin_) taken.push_back(entries_[begin_ % kMost]);
    return taken;
  }

 private:
  static constexpr size_t kMost = 8192;

  static void set_name(Entry* entry, const std::string& name) {
    entry->name[name.copy(entry->name, sizeof(entry->name) - 1)] = 0;
  }

  std::mutex mutex_;
  std::vector<Entry> entries_;
  uint64_t begin_ = 0, end_ = 0;
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
