// Shuffles, votes and __syncwarp: which lanes go on together, and what each gets.
#include <algorithm>

#include "access.h"
#include "executor.h"
#include "findings.h"

namespace opwright {
namespace emulated {

// The lanes of one wave that end one collective together.
class WaveRelease {
 public:
  WaveRelease(Executor* executor, int wave) : executor_(*executor), wave_(wave) {}

  // Ends every collective of the wave that nobody is missing from; if there is none, the one of
  // those without a mask that comes first in the source.
  void run() {
    const uint64_t pending = executor_.waves[wave_].in_collective;
    uint64_t done = 0;
    for (uint64_t rest = pending; rest; rest &= rest - 1) {
      const int lane = __builtin_ctzll(rest);
      if (!state(lane).masked || (done >> lane & 1)) continue;
      const uint64_t group = same_as(lane, pending);
      if (state(lane).mask & executor_.waves[wave_].live & ~group) continue;
      end(group);
      done |= group;
    }
    if (done) return;
    int first = -1;
    for (uint64_t rest = pending; rest; rest &= rest - 1) {
      const int lane = __builtin_ctzll(rest);
      if (state(lane).masked) continue;
      if (first < 0 || state(lane).place.line < state(first).place.line) first = lane;
    }
    if (first >= 0) end(same_as(first, pending));
  }

 private:
  ThreadState& state(int lane) const { return *executor_.thread_of(wave_, lane).state; }

  // Those of `pending` that call what this lane calls: named by the same mask, or at the same
  // place.
  uint64_t same_as(int lane, uint64_t pending) const {
    const ThreadState& wanted = state(lane);
    uint64_t group = 0;
    for (uint64_t rest = pending; rest; rest &= rest - 1) {
      const int other = __builtin_ctzll(rest);
      const ThreadState& its = state(other);
      if (its.kind != wanted.kind || its.masked != wanted.masked) continue;
      const bool same =
          its.masked ? its.mask == wanted.mask
                     : its.place.line == wanted.place.line && its.place.file == wanted.place.file;
      if (same) group |= uint64_t{1} << other;
    }
    return group;
  }

  void end(uint64_t group) {
    const ThreadState& any = state(__builtin_ctzll(group));
    if (any.masked && (group & ~any.mask)) report_outside_mask(group & ~any.mask);
    switch (any.kind) {
      case Collective::exchange:
        exchange(group);
        break;
      case Collective::match:
        match(group);
        break;
      case Collective::vote:
      case Collective::sync:
        give_all(group, votes(group));
        break;
      default:
        give_all(group, combined(group, any.kind));
    }
    if (any.kind == Collective::sync) order_memory_of_wave(&executor_, wave_, group);
    executor_.waves[wave_].in_collective &= ~group;
    // They go on before other waves do: what they work with is still in the cache.
    for (uint64_t rest = group; rest;) {
      const bool upwards = executor_.order_ == Order::reverse;
      const int last = upwards ? __builtin_ctzll(rest) : 63 - __builtin_clzll(rest);
      rest &= ~(uint64_t{1} << last);
      executor_.make_first(&executor_.thread_of(wave_, last));
    }
  }

  void exchange(uint64_t group) {
    for (uint64_t rest = group; rest; rest &= rest - 1) {
      const int lane = __builtin_ctzll(rest);
      const int source = state(lane).source;
      const bool active = source >= 0 && source < 64 && (group >> source & 1);
      state(lane).result = active ? state(source).value : kUndefined;
      if (!active) report_inactive(lane, source);
    }
  }

  void match(uint64_t group) {
    for (uint64_t mine = group; mine; mine &= mine - 1) {
      uint64_t equal = 0;
      const int lane = __builtin_ctzll(mine);
      for (uint64_t rest = group; rest; rest &= rest - 1) {
        const int other = __builtin_ctzll(rest);
        if (state(other).value == state(lane).value) equal |= uint64_t{1} << other;
      }
      state(lane).result = equal;
    }
  }

  uint64_t votes(uint64_t group) const {
    uint64_t votes = 0;
    for (uint64_t rest = group; rest; rest &= rest - 1) {
      if (state(__builtin_ctzll(rest)).value) votes |= rest & -rest;
    }
    return votes;
  }

  uint64_t combined(uint64_t group, Collective kind) const {
    uint64_t all = state(__builtin_ctzll(group)).value;
    for (uint64_t rest = group & (group - 1); rest; rest &= rest - 1) {
      const uint64_t value = state(__builtin_ctzll(rest)).value;
      const auto a = static_cast<int64_t>(all), b = static_cast<int64_t>(value);
      switch (kind) {
        case Collective::add:
          all += value;
          break;
        case Collective::min:
          all = std::min(all, value);
          break;
        case Collective::max:
          all = std::max(all, value);
          break;
        case Collective::min_signed:
          all = static_cast<uint64_t>(std::min(a, b));
          break;
        case Collective::max_signed:
          all = static_cast<uint64_t>(std::max(a, b));
          break;
        case Collective::band:
          all &= value;
          break;
        case Collective::bor:
          all |= value;
          break;
        default:
          all ^= value;
      }
    }
    return all;
  }

  void give_all(uint64_t group, uint64_t result) {
    for (uint64_t rest = group; rest; rest &= rest - 1)
      state(__builtin_ctzll(rest)).result = result;
  }

  Finding found(const char* kind, int lane, std::string message) const {
    Finding finding = found_here(kind, std::move(message));
    finding.file = state(lane).place.file;
    finding.line = state(lane).place.line;
    finding.who = {true, executor_.index, executor_.thread_of(wave_, lane).index};
    return finding;
  }

  void report_inactive(int lane, int source) const {
    const uint64_t live = executor_.waves[wave_].live;
    const bool exists =
        source < executor_.wave_size_ &&
        static_cast<uint32_t>(wave_ * executor_.wave_size_ + source) < executor_.threads;
    const char* why = !exists                 ? "which does not exist in this wave"
                      : !(live >> source & 1) ? "which has exited"
                                              : "which does not take part";
    report(found("inactive_lane", lane,
                 "lane " + std::to_string(lane) + " reads the value of lane " +
                     std::to_string(source) + ", " + why + ": what it gets is undefined"));
  }

  void report_outside_mask(uint64_t outside) const {
    const int lane = __builtin_ctzll(outside);
    report(found("lane_not_in_mask", lane,
                 "lane " + std::to_string(lane) +
                     " calls with a mask that does not name it (waves have " +
                     std::to_string(executor_.wave_size_) + " lanes here)"));
  }

  static constexpr uint64_t kUndefined = ~uint64_t{0};

  Executor& executor_;
  const int wave_;
};

void Executor::release_wave(int wave) { WaveRelease(this, wave).run(); }

uint64_t Executor::collective(Collective kind, uint64_t value, int source, uint64_t mask,
                              bool masked, Place place) {
  const Thread* thread = here.thread;
  ThreadState& state = *thread->state;
  state.kind = kind;
  state.value = value;
  state.source = source;
  state.mask = mask;
  state.masked = masked;
  state.place = place;
  Wave& wave = waves[thread->wave];
  wave.in_collective |= uint64_t{1} << thread->lane;
  if (all_blocked(wave)) release_wave(thread->wave);
  suspend();
  return state.result;
}

uint64_t collective(Collective kind, uint64_t value, int source, uint64_t mask, bool masked,
                    Place place) {
  return running_executor()->collective(kind, value, source, mask, masked, place);
}

}  // namespace emulated
}  // namespace opwright
