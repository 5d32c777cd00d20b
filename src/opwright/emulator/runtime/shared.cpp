#include "shared.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "executor.h"
#include "findings.h"
#include "sanitizer.h"

namespace opwright {
namespace emulated {
namespace {

constexpr int kMostSlots = 4096;
constexpr unsigned char kUnwritten = 0xff;
constexpr size_t kLeastAlignment = 16;

std::atomic<int> slots{0};

size_t round_up(size_t value, size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

int number_of(SharedSlot* slot) {
  int number = __atomic_load_n(&slot->number, __ATOMIC_ACQUIRE);
  if (number >= 0) return number;
  const int mine = slots.fetch_add(1);
  if (mine >= kMostSlots) {
    fprintf(stderr, "opwright: more than %d objects in shared memory\n", kMostSlots);
    abort();
  }
  number = -1;
  const bool set = __atomic_compare_exchange_n(&slot->number, &number, mine, false,
                                               __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return set ? mine : number;
}

}  // namespace

SharedMemory::SharedMemory() : table_(kMostSlots, nullptr) {
  void* memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    fprintf(stderr, "opwright: no memory for the shared memory of a block\n");
    abort();
  }
  memory_ = static_cast<char*>(memory);
}

SharedMemory::~SharedMemory() {
  unpoison(memory_, kBytes);
  munmap(memory_, kBytes);
}

void SharedMemory::begin_block(size_t dynamic_bytes) {
  if (used_ == 0) poison(memory_, kBytes);
  for (const int number : placed_) table_[static_cast<size_t>(number)] = nullptr;
  for (const Object& object : objects_) {
    poison(memory_ + object.begin, round_up(object.end, 8) - object.begin);
  }
  placed_.clear();
  objects_.clear();
  static_bytes_ = 0;
  dynamic_bytes_ = dynamic_bytes;
  used_ = kRedZone;
  if (dynamic_bytes) add(used_, used_ + dynamic_bytes);
}

void SharedMemory::add(size_t begin, size_t end) {
  objects_.push_back({begin, end});
  unpoison(memory_ + begin, end - begin);
  memset(memory_ + begin, kUnwritten, end - begin);
  used_ = end + kRedZone;
}

void* SharedMemory::place(int number, size_t size_bytes, size_t alignment) {
  const size_t step = alignment > kLeastAlignment ? alignment : kLeastAlignment;
  const size_t begin = round_up(used_, step);
  if (begin + size_bytes + kRedZone > kBytes) return nullptr;
  static_bytes_ = round_up(static_bytes_, alignment) + size_bytes;
  add(begin, begin + size_bytes);
  placed_.push_back(number);
  return table_[static_cast<size_t>(number)] = memory_ + begin;
}

bool SharedMemory::holds(const void* address, size_t size_bytes) const {
  const size_t begin = offset(address);
  for (const Object& object : objects_) {
    if (begin >= object.begin && begin + size_bytes <= object.end) return true;
  }
  return false;
}

int shared_slots() { return slots.load(); }

void* place_shared(SharedSlot* slot, size_t size_bytes, size_t alignment) {
  Executor* executor = running_executor();
  const int number = number_of(slot);
  if (void* place = executor->shared_memory().table()[number]) return place;
  void* place = executor->shared_memory().place(number, size_bytes, alignment);
  Launch& launch = executor->launch();
  const size_t statically = executor->shared_memory().static_bytes();
  if (!place || statically + launch.config.shared_bytes > launch.shared_limit) {
    launch.refusal = std::to_string(statically) + " bytes of static and " +
                     std::to_string(launch.config.shared_bytes) +
                     " bytes of dynamic shared memory; the limit is " +
                     std::to_string(launch.shared_limit);
    report(found_here("shared_limit", "needs " + launch.refusal));
    executor->give_up(1);
  }
  return place;
}

void* dynamic_shared_memory() { return running_executor()->shared_memory().dynamic(); }

}  // namespace emulated
}  // namespace opwright
