#include "regions.h"

#include <iterator>

#include "access.h"

namespace opwright {
namespace emulated {

Regions& regions() {
  static Regions regions;
  return regions;
}

void Regions::add(uintptr_t begin, size_t size_bytes, const std::string& name) {
  if (!size_bytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  last_ = nullptr;
  exclusive_ = true;
  Region& region = regions_[begin + size_bytes];
  const int calls = region.begin == begin ? region.calls : 0;
  region = {begin, begin + size_bytes, name, false, calls + 1, region.traffic};
}

void Regions::leave(uintptr_t begin, size_t size_bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = regions_.find(begin + size_bytes);
  if (found == regions_.end() || found->second.begin != begin || --found->second.calls > 0) return;
  last_ = nullptr;
  regions_.erase(found);
}

void Regions::add_allocation(uintptr_t begin, size_t size_bytes, const std::string& name) {
  if (!size_bytes) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  last_ = nullptr;
  regions_[begin + size_bytes] = {begin, begin + size_bytes, name, true, 0, {}};
}

void Regions::remove(uintptr_t begin) {
  const std::lock_guard<std::mutex> lock(mutex_);
  last_ = nullptr;
  const auto found = regions_.upper_bound(begin);
  if (found != regions_.end() && found->second.begin == begin) regions_.erase(found);
}

void Regions::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  last_ = nullptr;
  exclusive_ = false;
  for (auto region = regions_.begin(); region != regions_.end();) {
    region = region->second.allocated ? std::next(region) : regions_.erase(region);
  }
}

Region* Regions::holding(uintptr_t address) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (last_ && address >= last_->begin && address < last_->end) return last_;
  const auto found = regions_.upper_bound(address);
  if (found == regions_.end() || address < found->second.begin) return nullptr;
  return last_ = &found->second;
}

std::string Regions::near(uintptr_t address) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  constexpr uintptr_t kNear = 1 << 20;
  const auto after = regions_.upper_bound(address);
  const bool has_after = after != regions_.end() && after->second.begin - address < kNear;
  const Region* before = nullptr;
  if (after != regions_.begin()) before = &std::prev(after)->second;
  if (before && address - before->end < kNear &&
      !(has_after && after->second.begin - address < address - before->end)) {
    return std::to_string(address - before->end) + " bytes after the end of " + before->name;
  }
  if (!has_after) return "";
  return std::to_string(after->second.begin - address) + " bytes before " + after->second.name;
}

std::map<std::string, Traffic> Regions::take_traffic() {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::string, Traffic> all;
  for (auto& [end, region] : regions_) {
    if (region.traffic.read_bytes || region.traffic.written_bytes)
      all[region.name] = region.traffic;
    region.traffic = {};
  }
  return all;
}

void add_region(const void* begin, size_t size_bytes, const std::string& name) {
  regions().add(reinterpret_cast<uintptr_t>(begin), size_bytes, name);
}

void leave_region(const void* begin, size_t size_bytes) {
  regions().leave(reinterpret_cast<uintptr_t>(begin), size_bytes);
}

void forget_regions() { regions().clear(); }

}  // namespace emulated
}  // namespace opwright
