#include "access.h"

#include <dlfcn.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "errors.h"
#include "findings.h"
#include "regions.h"
#include "sample.h"
#include "shadow.h"

namespace opwright {
namespace emulated {
namespace {

// Order between blocks comes from atomics: what a block wrote before a fence and an atomic access
// is seen by those that access the same place atomically later.
struct BlockOrder {
  std::unordered_map<uintptr_t, std::set<uint32_t>> released;
  std::set<uint32_t> acquired;  // by the block that runs
};

// A plain read of what others access atomically is how a loop around atomicCAS begins, so it is
// told of only if the thread does not go on with an atomic access.
struct DoubtfulRead {
  const Cell* cell;
  uint32_t thread;
  Finding finding;
};

struct Watch {
  std::vector<DoubtfulRead> doubtful;
  Shadow global;
  Shadow shared;
  BlockOrder blocks;
  std::set<uintptr_t> own_pages;  // of this library's variables
};

Watch& watch() {
  static Watch watch;
  return watch;
}

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::read:
      return "a read";
    case AccessKind::write:
      return "a write";
    default:
      return "an atomic access";
  }
}

uintptr_t anchor() { return reinterpret_cast<uintptr_t>(&on_access); }

Who who(const Executor& executor, uint32_t block_number, uint16_t rank) {
  const dim3 grid = executor.grid, dim = executor.dim;
  return {true,
          {block_number % grid.x, block_number / grid.x % grid.y, block_number / grid.x / grid.y},
          {rank % dim.x, rank / dim.x % dim.y, rank / dim.x / dim.y}};
}

// One access, held against what is known of the memory.
class Checker {
 public:
  Checker(Executor* executor, AccessKind kind, uintptr_t pc)
      : executor_(*executor), thread_(*here.thread), pc_(pc) {
    now_.block = static_cast<uint32_t>(executor->block_number());
    now_.barriers = executor->barriers();
    now_.clock = thread_.state->clock;
    now_.pc = static_cast<int32_t>(pc - anchor());
    now_.thread = static_cast<uint16_t>(thread_.rank);
    now_.kind = kind;
  }

  // The bytes that lie in one page.
  void check(ShadowPage* page, uintptr_t address, size_t size_bytes, bool shared, Region* region) {
    const size_t offset = address % ShadowPage::kBytes;
    const size_t askew = (offset | size_bytes) & 3;
    if (askew) page->refine(askew & 1 ? 0 : 1);
    const size_t step = size_t{1} << page->shift();
    for (size_t i = 0; i < size_bytes; i += step) {
      Cell& cell = page->cell(offset + i);
      if (region) count(&cell, step, &region->traffic);
      check_cell(&cell, shared);
    }
  }

 private:
  void count(Cell* cell, size_t bytes, Traffic* traffic) const {
    if (now_.kind != AccessKind::write) {
      traffic->read_bytes += bytes;
      if (!cell->read) traffic->touched_read_bytes += bytes;
      cell->read = true;
    }
    if (now_.kind != AccessKind::read) {
      traffic->written_bytes += bytes;
      if (!cell->written) traffic->touched_written_bytes += bytes;
      cell->written = true;
    }
  }

  void check_cell(Cell* cell, bool shared) {
    if (shared && now_.kind != AccessKind::write && cell->write.kind == AccessKind::none) {
      report_unwritten();
    }
    check_against(cell, cell->write, shared);
    check_against(cell, cell->atomic, shared);
    if (now_.kind == AccessKind::read) {
      keep_read(cell);
      return;
    }
    for (const Access& read : cell->reads) {
      if (!before(read)) report(race(read, shared));
    }
    if (now_.kind == AccessKind::atomic) {
      trust(cell);
      const bool other = cell->write.thread != now_.thread || cell->write.block != now_.block;
      if (cell->write.kind == AccessKind::atomic && other) cell->atomic = cell->write;
    } else {
      cell->atomic = Access{};
    }
    cell->write = now_;
    cell->reads[0] = cell->reads[1] = Access{};
  }

  void check_against(const Cell* cell, const Access& old, bool shared) const {
    const bool was_atomic = old.kind == AccessKind::atomic;
    if ((was_atomic && now_.kind == AccessKind::atomic) || before(old)) return;
    if (was_atomic && now_.kind == AccessKind::read) {
      doubt(cell, race(old, shared));
    } else {
      report(race(old, shared));
    }
  }

  void keep_read(Cell* cell) const {
    Access* const reads = cell->reads;
    const bool replace = reads[0].kind == AccessKind::none || before(reads[0]);
    reads[replace ? 0 : 1] = now_;
  }

  // Whether the earlier access has happened for the running thread.
  bool before(const Access& old) const {
    if (old.kind == AccessKind::none) return true;
    if (old.block != now_.block) return watch().blocks.acquired.count(old.block) != 0;
    if (old.thread == now_.thread || old.barriers != now_.barriers) return true;
    const auto wave_size = static_cast<uint32_t>(executor_.launch().site->wave_size);
    if (old.thread / wave_size != thread_.wave) return false;
    const auto& seen = thread_.state->seen;
    return !seen.empty() && old.clock < seen[old.thread % wave_size];
  }

  void doubt(const Cell* cell, Finding finding) const {
    constexpr size_t kMostDoubtful = 64;
    std::vector<DoubtfulRead>& all = watch().doubtful;
    if (all.size() == kMostDoubtful) {
      report(std::move(all.front().finding));
      all.erase(all.begin());
    }
    all.push_back({cell, thread_.rank, std::move(finding)});
  }

  void trust(const Cell* cell) const {
    std::vector<DoubtfulRead>& all = watch().doubtful;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [&](const DoubtfulRead& read) {
                               return read.cell == cell && read.thread == thread_.rank;
                             }),
              all.end());
  }

  Finding race(const Access& old, bool shared) const {
    Finding finding = found_here("race", "");
    finding.message = std::string(shared ? "shared" : "global") + " memory: " + verb(now_.kind) +
                      " by one thread and " + verb(old.kind) +
                      " by another, with nothing between " + "them that orders them";
    finding.pc = pc_;
    finding.other_pc = anchor() + static_cast<uintptr_t>(static_cast<intptr_t>(old.pc));
    finding.other = who(executor_, old.block, old.thread);
    return finding;
  }

  void report_unwritten() const {
    Finding finding = found_here("uninitialised_shared",
                                 "reads shared memory that no thread of the block has written");
    finding.pc = pc_;
    report(std::move(finding));
  }

  Executor& executor_;
  const Thread& thread_;
  const uintptr_t pc_;
  Access now_;
};

// Constants and other variables of the library itself.
bool is_own_variable(uintptr_t address) {
  const uintptr_t page = address / ShadowPage::kBytes;
  if (watch().own_pages.count(page)) return true;
  Dl_info mine, its;
  if (!dladdr(reinterpret_cast<void*>(anchor()), &mine) ||
      !dladdr(reinterpret_cast<void*>(address), &its) || mine.dli_fbase != its.dli_fbase) {
    return false;
  }
  watch().own_pages.insert(page);
  return true;
}

[[noreturn]] void stop(const char* kind, const std::string& message, uintptr_t pc, int error) {
  Finding finding = found_here(kind, message);
  finding.pc = pc;
  report(std::move(finding));
  running_executor()->give_up(error);
}

std::string described(AccessKind kind, size_t size_bytes) {
  return std::string(verb(kind)) + " of " + std::to_string(size_bytes) + " bytes";
}

// The region that the access lies in; null where it is not in one and may be so.
Region* checked_region(uintptr_t address, size_t size_bytes, AccessKind kind, uintptr_t pc) {
  Region* region = regions().holding(address);
  const bool inside = region && address + size_bytes <= region->end;
  if (inside || !regions().exclusive() || (!region && is_own_variable(address))) return region;
  const uintptr_t beyond = region ? region->end : address;
  const std::string where = regions().near(beyond);
  stop("out_of_bounds",
       described(kind, size_bytes) + " " + (where.empty() ? "in memory of no tensor" : where), pc,
       kIllegalAddress);
}

void note_order(Executor* executor, uintptr_t address, AccessKind kind, bool shared) {
  ThreadState& state = *here.thread->state;
  if (shared) return;
  if (kind == AccessKind::write) state.fenced = false;
  if (kind != AccessKind::atomic) return;
  BlockOrder& blocks = watch().blocks;
  std::set<uint32_t>& released = blocks.released[address];
  blocks.acquired.insert(released.begin(), released.end());
  if (!state.fenced) return;
  released.insert(static_cast<uint32_t>(executor->block_number()));
  released.insert(blocks.acquired.begin(), blocks.acquired.end());
}

}  // namespace

void on_access(const void* pointer, size_t size_bytes, AccessKind kind, uintptr_t pc,
               bool natural) {
  Executor* executor = running_executor();
  if (!executor || !size_bytes || executor->owns_stack(pointer)) return;
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (natural && address % size_bytes) {
    stop("misaligned_access",
         described(kind, size_bytes) + " at an address that is no multiple of " +
             std::to_string(size_bytes),
         pc, kMisalignedAddress);
  }
  const bool shared = executor->shared_memory().owns(pointer);
  if (shared && !executor->shared_memory().holds(pointer, size_bytes)) {
    stop("out_of_bounds", described(kind, size_bytes) + " outside every object in shared memory",
         pc, kIllegalAddress);
  }
  Region* region = shared ? nullptr : checked_region(address, size_bytes, kind, pc);
  note_order(executor, address, kind, shared);
  sample_access(executor, address, size_bytes, kind != AccessKind::read, shared, pc);
  Shadow& shadow = shared ? watch().shared : watch().global;
  Checker checker(executor, kind, pc);
  for (size_t done = 0; done < size_bytes;) {
    const uintptr_t at = address + done;
    const size_t part = std::min(size_bytes - done, ShadowPage::kBytes - at % ShadowPage::kBytes);
    checker.check(&shadow.page(at), at, part, shared, region);
    done += part;
  }
}

void on_fence() {
  if (here.thread) here.thread->state->fenced = true;
}

void begin_watched_launch() {
  watch().global.forget();
  watch().blocks.released.clear();
  begin_sample();
}

void end_watched_launch(Launch* launch) {
  launch->traffic = regions().take_traffic();
  end_sample();
}

void begin_watched_block(Executor*, ThreadState* states, uint32_t threads) {
  watch().shared.forget();
  watch().blocks.acquired.clear();
  for (uint32_t rank = 0; rank < threads; ++rank) {
    states[rank].clock = 0;
    states[rank].fenced = false;
    states[rank].seen.clear();
  }
}

void end_watched_block(Executor*) {
  for (DoubtfulRead& read : watch().doubtful) report(std::move(read.finding));
  watch().doubtful.clear();
}

void order_memory_of_wave(Executor* executor, int wave, uint64_t lanes) {
  if (!executor->launch().site->watched) return;
  const auto size = static_cast<size_t>(executor->launch().site->wave_size);
  std::vector<uint32_t> seen(size, 0);
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    const auto lane = static_cast<size_t>(__builtin_ctzll(rest));
    ThreadState& state = *executor->thread_of(wave, static_cast<int>(lane)).state;
    ++state.clock;
    if (!state.seen.empty()) {
      for (size_t i = 0; i < size; ++i) seen[i] = std::max(seen[i], state.seen[i]);
    }
    seen[lane] = std::max(seen[lane], state.clock);
  }
  for (uint64_t rest = lanes; rest; rest &= rest - 1) {
    executor->thread_of(wave, __builtin_ctzll(rest)).state->seen = seen;
  }
}

}  // namespace emulated
}  // namespace opwright
