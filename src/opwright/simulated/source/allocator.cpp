// The caching allocator, as PyTorch's.
#include "device.h"
#include "memory.h"
#include "torch_device.h"

namespace opwright {
namespace simulated {
namespace {

using c10::CachingDeviceAllocator::DeviceStats;

void set(c10::CachingAllocator::StatArray& to, const Count& from) {
  auto& all = to[static_cast<size_t>(c10::CachingAllocator::StatType::AGGREGATE)];
  all.current = from.current;
  all.peak = from.peak;
  all.allocated = from.allocated;
  all.freed = from.freed;
}

struct Allocator final : c10::DeviceAllocator {
  c10::DataPtr allocate(size_t size_bytes) override {
    const int device = current_device();
    void* memory = simulated::allocate(current_stream(device), size_bytes);
    return {memory, memory, &release, c10::Device(kType, static_cast<c10::DeviceIndex>(device))};
  }

  c10::DeleterFnPtr raw_deleter() const override { return &release; }

  void copy_data(void* to, const void* from, size_t size_bytes) const override {
    const int device = current_device();
    const auto task = [=] { memmove(to, from, size_bytes); };
    current_stream(device)->push({"copy from device to device", task, only(device)});
  }

  bool initialized() override { return true; }
  void emptyCache(c10::MempoolId_t) override { empty_cache(); }

  void recordStream(const c10::DataPtr& memory, c10::Stream stream) override {
    record_stream(memory.get(), stream_of(stream));
  }

  DeviceStats getDeviceStats(c10::DeviceIndex device) override {
    const Statistics found = statistics_of(device);
    DeviceStats stats;
    set(stats.allocation, found.blocks);
    set(stats.active, found.blocks);
    set(stats.allocated_bytes, found.bytes);
    set(stats.active_bytes, found.bytes);
    set(stats.requested_bytes, found.requested_bytes);
    set(stats.segment, found.segments);
    set(stats.reserved_bytes, found.reserved_bytes);
    stats.num_device_alloc = found.segments.allocated;
    stats.num_device_free = found.segments.freed;
    return stats;
  }

  void resetAccumulatedStats(c10::DeviceIndex device) override { reset_totals(device); }
  void resetPeakStats(c10::DeviceIndex device) override { reset_peaks(device); }

  std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override {
    const auto reserved = static_cast<size_t>(statistics_of(device).reserved_bytes.current);
    return {capacity_bytes() - reserved, capacity_bytes()};
  }
};

Allocator the_allocator;
REGISTER_ALLOCATOR(kType, &the_allocator);

}  // namespace

c10::DeviceAllocator& allocator() { return the_allocator; }

}  // namespace simulated
}  // namespace opwright
