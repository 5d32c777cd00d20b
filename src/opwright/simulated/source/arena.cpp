#include "arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

#include "device.h"

namespace opwright {
namespace simulated {
namespace {

constexpr size_t kLeastReserved = size_t{16} << 30;

size_t machine_bytes() {
  return static_cast<size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

class Arena {
 public:
  Arena(bool keys) : reserved_(std::max(kLeastReserved, 2 * machine_bytes())) {
    void* found =
        mmap(nullptr, reserved_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) throw Error(kOutOfMemory, "no address space for a simulated device");
    begin_ = static_cast<char*>(found);
    if (keys) key_ = pkey_alloc(0, PKEY_DISABLE_ACCESS);
  }

  bool has_key() const { return key_ >= 0; }
  void forget_key() {
    if (has_key()) pkey_free(key_);
    key_ = -1;
  }
  bool holds(const char* address) const {
    return address >= begin_ && address < begin_ + reserved_;
  }
  void allow(bool allowed) { pkey_set(key_, allowed ? 0 : PKEY_DISABLE_ACCESS); }

  char* map(size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto free = free_.begin(); free != free_.end(); ++free) {
      if (free->second < size) continue;
      char* found = free->first;
      const size_t rest = free->second - size;
      free_.erase(free);
      if (rest) free_[found + size] = rest;
      return found;
    }
    if (size > reserved_ - used_) return nullptr;
    char* found = begin_ + used_;
    if (!open_pages(found, size)) return nullptr;
    used_ += size;
    return found;
  }

  void unmap(char* begin, size_t size) {
    std::lock_guard<std::mutex> lock(mutex_);
    madvise(begin, size, MADV_DONTNEED);
    const auto after = free_.lower_bound(begin);
    if (after != free_.end() && begin + size == after->first) {
      size += after->second;
      free_.erase(after);
    }
    const auto behind = free_.lower_bound(begin);
    if (behind != free_.begin()) {
      const auto before = std::prev(behind);
      if (before->first + before->second == begin) {
        before->second += size;
        return;
      }
    }
    free_[begin] = size;
  }

  void open() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (windows_++ == 0) protect(PROT_READ | PROT_WRITE);
  }
  void close() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--windows_ == 0) protect(PROT_NONE);
  }

 private:
  bool open_pages(char* begin, size_t size) {
    const int rights = PROT_READ | PROT_WRITE;
    if (has_key()) return !pkey_mprotect(begin, size, rights, key_);
    return !mprotect(begin, size, windows_ ? rights : PROT_NONE);
  }
  void protect(int rights) {
    if (used_ && mprotect(begin_, used_, rights)) abort();
  }

  const size_t reserved_;
  char* begin_ = nullptr;
  int key_ = -1;
  std::mutex mutex_;
  size_t used_ = 0;
  int windows_ = 0;
  std::map<char*, size_t> free_;  // of what has been used
};

struct Arenas {
  Arena* of[kDevices];

  Arenas() {
    // For tests of the way of machines without keys.
    const bool keys = !getenv("OPWRIGHT_SIMULATED_WITHOUT_KEYS");
    for (Arena*& arena : of) arena = new Arena(keys);
    if (!have_keys()) {
      for (Arena* arena : of) arena->forget_key();  // all of them, or none
    }
  }
  bool have_keys() const {
    return std::all_of(of, of + kDevices, [](const Arena* arena) { return arena->has_key(); });
  }
};

Arenas& arenas() {
  static Arenas* all = new Arenas;
  return *all;
}

Arena& arena_of(int device) { return *arenas().of[device]; }

}  // namespace

Protection protection() {
  static const Protection found = arenas().have_keys() ? Protection::keys : Protection::windows;
  return found;
}

// Fresh memory is written to at once, so what there is has to be there.
size_t capacity_bytes() { return machine_bytes() / (2 * kDevices); }

char* map_pages(int device, size_t size_bytes) { return arena_of(device).map(size_bytes); }

void unmap_pages(int device, char* begin, size_t size_bytes) {
  arena_of(device).unmap(begin, size_bytes);
}

int device_of(const void* address) {
  for (int device = 0; device < kDevices; ++device) {
    if (arena_of(device).holds(static_cast<const char*>(address))) return device;
  }
  return -1;
}

Access::Access(Devices devices) : devices_(devices) {
  for (int device = 0; device < kDevices; ++device) {
    if (!(devices & only(device))) continue;
    if (protection() == Protection::keys) {
      arena_of(device).allow(true);
    } else {
      arena_of(device).open();
    }
  }
}

Access::~Access() {
  for (int device = 0; device < kDevices; ++device) {
    if (!(devices_ & only(device))) continue;
    if (protection() == Protection::keys) {
      arena_of(device).allow(false);
    } else {
      arena_of(device).close();
    }
  }
}

}  // namespace simulated
}  // namespace opwright
