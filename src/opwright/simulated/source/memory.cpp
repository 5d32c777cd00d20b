#include "memory.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <set>

#include "capture.h"
#include "device.h"

namespace opwright {
namespace simulated {

struct Block {
  char* begin;      // of the red zone before it
  size_t mapped;    // bytes, with both red zones
  size_t capacity;  // between them
  size_t size = 0;  // asked for: what lies behind belongs to the red zone
  Stream* owner;
  Pool* pool;
  uint8_t red = 0;  // the byte that its red zones are filled with: that of fresh memory then
  std::set<Stream*> used_on;  // besides its owner

  char* data() const;
  char* end() const { return begin + mapped; }
};

namespace {

constexpr size_t kRedZone = 4096;
constexpr size_t kGranularity = 512;
constexpr size_t kPage = 4096;
constexpr size_t kSegment = size_t{2} << 20;
constexpr uint8_t kFreed = 0xFB;   // large and negative as any floating-point type
std::atomic<uint8_t> fresh{0xFF};  // NaN as any floating-point type

size_t rounded(size_t size, size_t unit) { return (size + unit - 1) / unit * unit; }

// Small blocks are cut from pages that are mapped at once.
struct Chunk {
  char* next = nullptr;
  size_t left = 0;
};

struct Memory {
  std::mutex mutex;
  std::map<const char*, Block*> blocks;  // all that there are, by their beginning
  std::map<const void*, Block*> live;
  Pool pool;
  Chunk chunk[kDevices];
  Statistics statistics[kDevices];
  std::vector<Stray> strays;
};

Memory& memory() {
  static Memory* all = new Memory;
  return *all;
}

void add(Count& count, size_t bytes) {
  const auto more = static_cast<int64_t>(bytes);
  count.current += more;
  count.allocated += more;
  count.peak = std::max(count.peak, count.current);
}

void subtract(Count& count, size_t bytes) {
  count.current -= static_cast<int64_t>(bytes);
  count.freed += static_cast<int64_t>(bytes);
}

// The rest runs on workers: nobody else may touch a block's memory.

void paint_zones(const Block& block, size_t size, uint8_t red) {
  memset(block.begin, red, kRedZone);
  memset(block.data() + size, red, static_cast<size_t>(block.end() - block.data()) - size);
}

// What was written of a red zone, as the block's stray; `from_end` looks at it from its end.
void inspect_zone(const Block& block, size_t size, uint8_t red, const char* begin, const char* end,
                  bool from_end) {
  if (begin == end) return;
  const auto length = static_cast<size_t>(end - begin);
  if (static_cast<uint8_t>(*begin) == red && !memcmp(begin, begin + 1, length - 1)) return;
  const auto is_other = [red](char byte) { return static_cast<uint8_t>(byte) != red; };
  const auto count = std::count_if(begin, end, is_other);
  const char* nearest = std::find_if(begin, end, is_other);
  if (from_end) {
    const auto last = std::find_if(std::reverse_iterator<const char*>(end),
                                   std::reverse_iterator<const char*>(begin), is_other);
    nearest = last.base() - 1;
  }
  std::lock_guard<std::mutex> lock(memory().mutex);
  memory().strays.push_back(
      {block.owner->device, block.data(), size, nearest - block.data(), count});
}

void inspect(const Block& block, size_t size, uint8_t red) {
  inspect_zone(block, size, red, block.begin, block.data(), true);
  inspect_zone(block, size, red, block.data() + size, block.end(), false);
}

// Under the lock from here on.

char* carve(int device, size_t size) {
  if (size >= kSegment) return map_pages(device, rounded(size, kPage));
  Chunk& chunk = memory().chunk[device];
  if (chunk.left < size) {
    char* pages = map_pages(device, kSegment);
    if (!pages) return nullptr;
    chunk = {pages, kSegment};
  }
  char* found = chunk.next;
  chunk.next += size;
  chunk.left -= size;
  return found;
}

Block* take_free(Pool& pool, Stream* stream, size_t capacity) {
  auto& sizes = pool.free[stream];
  const auto found = sizes.lower_bound(capacity);
  if (found == sizes.end() || found->first > 2 * capacity + kPage) return nullptr;
  Block* block = found->second;
  sizes.erase(found);
  return block;
}

Block* new_block(Stream* stream, size_t capacity, Pool* pool) {
  Statistics& statistics = memory().statistics[stream->device];
  size_t mapped = capacity + 2 * kRedZone;
  if (mapped >= kSegment) mapped = rounded(mapped, kPage);
  const auto left = static_cast<int64_t>(capacity_bytes()) - statistics.reserved_bytes.current;
  if (left < static_cast<int64_t>(mapped)) return nullptr;
  char* begin = carve(stream->device, mapped);
  if (!begin) return nullptr;
  auto* block = new Block{};
  block->begin = begin;
  block->mapped = mapped;
  block->capacity = mapped - 2 * kRedZone;
  block->owner = stream;
  block->pool = pool;
  memory().blocks[begin] = block;
  add(statistics.segments, 1);
  add(statistics.reserved_bytes, mapped);
  return block;
}

void put_back(Block* block) {
  if (block->pool->retired) block->pool = &memory().pool;
  block->pool->free[block->owner].emplace(block->capacity, block);
}

// Free blocks that have pages of their own, which are nobody's from now on.
std::vector<Block*> take_whole_pages() {
  std::vector<Block*> taken;
  for (auto& [stream, sizes] : memory().pool.free) {
    for (auto entry = sizes.begin(); entry != sizes.end();) {
      if (entry->second->mapped < kSegment) {
        ++entry;
        continue;
      }
      taken.push_back(entry->second);
      entry = sizes.erase(entry);
    }
  }
  return taken;
}

void unmap(Block* block) {
  const int device = block->owner->device;
  subtract(memory().statistics[device].segments, 1);
  subtract(memory().statistics[device].reserved_bytes, block->mapped);
  memory().blocks.erase(block->begin);
  unmap_pages(device, block->begin, block->mapped);
  delete block;
}

void retire(Pool* pool) {
  std::lock_guard<std::mutex> lock(memory().mutex);
  pool->retired = true;
  for (auto& [stream, sizes] : pool->free) {
    for (auto& [capacity, block] : sizes) {
      block->pool = &memory().pool;
      memory().pool.free[stream].emplace(capacity, block);
    }
  }
  pool->free.clear();
}

}  // namespace

char* Block::data() const { return begin + kRedZone; }

// It is never deleted: blocks that are still in use name it.
std::shared_ptr<Pool> new_graph_pool() { return std::shared_ptr<Pool>(new Pool, retire); }

void* allocate(Stream* stream, size_t size_bytes) {
  if (!size_bytes) return nullptr;
  require_working(stream->device);
  const std::shared_ptr<Capture> capture = captured_for(stream);
  Pool* const pool = capture ? capture->pool.get() : &memory().pool;
  const size_t capacity = rounded(size_bytes, kGranularity);
  Block* block = nullptr;
  {
    std::lock_guard<std::mutex> lock(memory().mutex);
    block = take_free(*pool, stream, capacity);
    if (!block) block = new_block(stream, capacity, pool);
  }
  if (!block && !capture) {
    empty_cache();
    std::lock_guard<std::mutex> lock(memory().mutex);
    block = new_block(stream, capacity, pool);
  }
  if (!block) {
    throw Error(kOutOfMemory, name_of(stream->device) + " is out of memory: " +
                                  std::to_string(size_bytes) + " bytes were asked for");
  }
  {
    std::lock_guard<std::mutex> lock(memory().mutex);
    block->size = size_bytes;
    block->red = fresh;
    memory().live[block->data()] = block;
    Statistics& statistics = memory().statistics[stream->device];
    add(statistics.blocks, 1);
    add(statistics.bytes, capacity);
    add(statistics.requested_bytes, size_bytes);
  }
  // Without keys the host is stopped only while nothing works, which it does as soon as it can.
  const bool at_once = capture || (protection() == Protection::windows && !stream->has_work());
  Stream* painter = at_once ? own_stream(stream->device) : stream;
  const auto task = [block, size_bytes, red = block->red] {
    paint_zones(*block, size_bytes, red);
    memset(block->data(), red, size_bytes);
  };
  painter->push_now({"", task, only(stream->device), true});
  if (at_once) painter->wait_quietly();
  return block->data();
}

void release(void* address) {
  if (!address) return;
  Block* block = nullptr;
  std::set<Stream*> others;
  size_t size = 0;
  uint8_t red = 0;
  {
    std::lock_guard<std::mutex> lock(memory().mutex);
    const auto found = memory().live.find(address);
    if (found == memory().live.end()) return;
    block = found->second;
    memory().live.erase(found);
    others.swap(block->used_on);
    size = block->size;
    red = block->red;
    Statistics& statistics = memory().statistics[block->owner->device];
    subtract(statistics.blocks, 1);
    subtract(statistics.bytes, rounded(size, kGranularity));
    subtract(statistics.requested_bytes, size);
  }
  Stream* owner = block->owner;
  if (owner->is_capturing()) {  // what is captured goes on using it
    std::lock_guard<std::mutex> lock(memory().mutex);
    put_back(block);
    return;
  }
  const auto end = [block, size, red] {
    inspect(*block, size, red);
    memset(block->data(), kFreed, block->capacity);
  };
  const Devices devices = only(owner->device);
  if (others.empty()) {
    owner->push_now({"", end, devices, true});
    std::lock_guard<std::mutex> lock(memory().mutex);
    put_back(block);
    return;
  }
  auto left = std::make_shared<std::atomic<size_t>>(others.size() + 1);
  others.insert(owner);
  for (Stream* stream : others) {
    const auto pass = [block, end, left] {
      if (--*left) return;
      end();
      std::lock_guard<std::mutex> lock(memory().mutex);
      put_back(block);
    };
    stream->push_now({"", pass, devices, true});
  }
}

void record_stream(void* address, Stream* stream) {
  std::lock_guard<std::mutex> lock(memory().mutex);
  const auto found = memory().live.find(address);
  if (found == memory().live.end() || found->second->owner == stream) return;
  found->second->used_on.insert(stream);
}

void empty_cache() {
  std::unique_lock<std::mutex> lock(memory().mutex);
  const std::vector<Block*> taken = take_whole_pages();
  lock.unlock();
  for (const Block* block : taken) block->owner->wait_quietly();
  lock.lock();
  for (Block* block : taken) unmap(block);
}

Statistics statistics_of(int device) {
  std::lock_guard<std::mutex> lock(memory().mutex);
  return memory().statistics[device];
}

void reset_peaks(int device) {
  std::lock_guard<std::mutex> lock(memory().mutex);
  Statistics& all = memory().statistics[device];
  for (Count* count :
       {&all.blocks, &all.bytes, &all.requested_bytes, &all.segments, &all.reserved_bytes})
    count->peak = count->current;
}

void reset_totals(int device) {
  std::lock_guard<std::mutex> lock(memory().mutex);
  Statistics& all = memory().statistics[device];
  for (Count* count :
       {&all.blocks, &all.bytes, &all.requested_bytes, &all.segments, &all.reserved_bytes})
    count->allocated = count->freed = 0;
}

void set_fresh_byte(uint8_t byte) { fresh = byte; }

std::vector<Stray> take_strays() {
  for (int device = 0; device < kDevices; ++device) wait_for_device_quietly(device);
  std::unique_lock<std::mutex> live_lock(memory().mutex);
  for (const auto& [address, block] : memory().live) {
    const auto task = [block = block, size = block->size, red = block->red] {
      inspect(*block, size, red);
      paint_zones(*block, size, red);  // it is told once
    };
    own_stream(block->owner->device)->push_now({"", task, only(block->owner->device), true});
  }
  live_lock.unlock();
  for (int device = 0; device < kDevices; ++device) own_stream(device)->wait_quietly();
  std::lock_guard<std::mutex> lock(memory().mutex);
  std::vector<Stray> taken;
  taken.swap(memory().strays);
  return taken;
}

Description describe_address(const void* address) {
  Description description;
  const int device = device_of(address);
  if (device < 0) {
    snprintf(description.text, sizeof(description.text), "the address %p", address);
    return description;
  }
  const auto* at = static_cast<const char*>(address);
  const Block* block = nullptr;
  const bool locked = memory().mutex.try_lock();
  if (locked) {
    const auto after = memory().blocks.upper_bound(at);
    if (after != memory().blocks.begin()) block = std::prev(after)->second;
    if (block && at >= block->end()) block = nullptr;
  }
  if (block) {
    snprintf(description.text, sizeof(description.text),
             "byte %td of a block of %zu bytes on simulated:%d", at - block->data(), block->size,
             device);
  } else {
    snprintf(description.text, sizeof(description.text), "an address of simulated:%d, %p", device,
             address);
  }
  if (locked) memory().mutex.unlock();
  return description;
}

}  // namespace simulated
}  // namespace opwright
