#include "executor.h"

#include <pthread.h>

#include <algorithm>

#include "access.h"
#include "findings.h"
#include "kernels.h"
#include "sanitizer.h"

namespace opwright {
namespace emulated {

thread_local Here here{nullptr, nullptr};

namespace {

// Of the host thread.
void find_own_stack(Fiber* main) {
  pthread_attr_t attributes;
  void* bottom = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes)) return;
  pthread_attr_getstack(&attributes, &bottom, &main->size);
  pthread_attr_destroy(&attributes);
  main->bottom = static_cast<char*>(bottom);
}

uint64_t largest_common_divisor(uint64_t a, uint64_t b) {
  while (b) {
    const uint64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

// A permutation of [0, count) that needs no memory: a step that has no divisor with it in common.
uint64_t shuffled(uint64_t index, uint64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  const uint64_t start = random() % count;
  uint64_t step = random() % count | 1;
  while (largest_common_divisor(step, count) != 1) step += 2;
  return static_cast<uint64_t>((static_cast<unsigned __int128>(index) * step + start) % count);
}

uint64_t in_order(uint64_t index, uint64_t count) {
  switch (options().block_order) {
    case Order::forward:
      return index;
    case Order::reverse:
      return count - 1 - index;
    case Order::random:
      return shuffled(index, count, options().seed);
  }
  return index;
}

}  // namespace

Executor::Executor() : Block{} {
  for (int rank = 0; rank < kMostThreads; ++rank) threads_[rank].state = &states_[rank];
  sequence = sequence_;
}

void Executor::run(Launch* launch) {
  launch_ = launch;
  kernel = nullptr;
  wave_size_ = launch->site->wave_size;
  grid = launch->config.grid;
  prepare_threads();
  if (__sanitizer_start_switch_fiber || launch->site->watched) find_own_stack(&main_);
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  const uint64_t chunk = std::clamp<uint64_t>(blocks / 64, 1, 64);
  while (!launch->error) {
    const uint64_t begin = launch->next_block.fetch_add(chunk);
    if (begin >= blocks) break;
    const uint64_t end = std::min(begin + chunk, blocks);
    for (uint64_t i = begin; i < end && !launch->error; ++i) run_block(in_order(i, blocks));
  }
  here = {nullptr, nullptr};
}

void Executor::prepare_threads() {
  dim = launch_->config.block;
  threads = dim.x * dim.y * dim.z;
  waves_count_ = static_cast<int>((threads + static_cast<uint32_t>(wave_size_) - 1) /
                                  static_cast<uint32_t>(wave_size_));
  order_ = options().thread_order;
  steady = order_ != Order::random;
  if (dim.x == prepared_dim_.x && dim.y == prepared_dim_.y && dim.z == prepared_dim_.z &&
      order_ == prepared_order_ && wave_size_ == prepared_wave_size_ && steady) {
    return;
  }
  for (uint32_t rank = 0; rank < threads; ++rank) {
    Thread& thread = threads_[rank];
    thread.index = {rank % dim.x, rank / dim.x % dim.y, rank / dim.x / dim.y};
    thread.rank = rank;
    thread.lane = static_cast<uint16_t>(rank % static_cast<uint32_t>(wave_size_));
    thread.wave = static_cast<uint16_t>(rank / static_cast<uint32_t>(wave_size_));
    sequence_[order_ == Order::reverse ? threads - 1 - rank : rank] = &thread;
  }
  prepared_dim_ = dim;
  prepared_order_ = order_;
  prepared_wave_size_ = wave_size_;
}

void Executor::run_block(uint64_t number) {
  block_number_ = number;
  index = {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
           static_cast<unsigned>(number / grid.x / grid.y)};
  begin_block();
  here.block = this;
  running_ = fibers_.take(&fiber_main);
  here.thread = begin_next();
  switch_fiber(&main_, running_);
  if (launch_->site->watched) end_watched_block(this);
  here = {nullptr, nullptr};
  if (launch_->error) {
    fibers_.take_all_back();
    for (const Thread& thread : threads_) thread.fiber = nullptr;
  }
  launch_->static_shared_bytes = shared_memory_.static_bytes();
}

void Executor::begin_block() {
  begun = suspended = barriers_ = 0;
  ready_begin_ = ready_end_ = arrived_ = 0;
  predicates_ = 0;
  places_differ_ = false;
  for (int w = 0; w < waves_count_; ++w) {
    const uint32_t first = static_cast<uint32_t>(w * wave_size_);
    const uint32_t lanes = std::min(threads - first, static_cast<uint32_t>(wave_size_));
    waves[w] = {lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1, 0, 0};
  }
  shared_memory_.begin_block(launch_->config.shared_bytes);
  shared = shared_memory_.table();
  if (order_ == Order::random) {
    random_.seed(options().seed * 0x9e3779b97f4a7c15u + block_number_);
    std::shuffle(sequence_, sequence_ + threads, random_);
  }
  if (launch_->site->watched) begin_watched_block(this, states_, threads);
}

// The life of a stack: it runs threads as long as there are some that have not begun.
void Executor::fiber_main() {
  begin_fiber();
  running_executor()->launch().threads(running_executor()->launch().context);
  Executor* self = running_executor();
  Fiber* mine = self->running_;
  self->fibers_.give_back(mine);
  // No thread is left that could begin on this stack: one that waits goes on, or the block ends.
  if (self->suspended == 0) {
    switch_fiber(mine, &self->main_, true);
  } else {
    self->go_on_with(here.thread, mine, true);
  }
}

inline const Thread* Executor::begin_next() { return sequence_[begun++]; }

inline const Thread* Executor::take_ready() { return ready_[ready_begin_++ % kMostThreads]; }

// One of all that could run.
const Thread* Executor::draw() {
  const uint32_t waiting = ready_end_ - ready_begin_;
  const uint64_t chosen = random_() % (waiting + threads - begun);
  if (chosen >= waiting) return begin_next();
  std::swap(ready_[ready_begin_ % kMostThreads], ready_[(ready_begin_ + chosen) % kMostThreads]);
  return take_ready();
}

// The thread to run next; null: the block is over.
inline const Thread* Executor::pick() {
  for (;;) {
    const bool waiting = ready_begin_ != ready_end_;
    const bool unbegun = begun != threads;
    if ((waiting || unbegun) && order_ == Order::random) return draw();
    if (waiting) return take_ready();
    if (unbegun) return begin_next();
    if (!release_block()) return nullptr;
  }
}

bool Executor::finish_thread() {
  const Thread* thread = here.thread;
  Wave& wave = waves[thread->wave];
  wave.live &= ~(uint64_t{1} << thread->lane);
  if (all_blocked(wave)) release_wave(thread->wave);
  const Thread* next = pick();
  here.thread = next;
  return next && !next->fiber;
}

// Goes on with `next`, on its own stack if it has one.
void Executor::go_on_with(const Thread* next, Fiber* from, bool dies) {
  here.thread = next;
  Fiber* to = next->fiber;
  if (to) {
    next->fiber = nullptr;
    --suspended;
  } else {
    to = fibers_.take(&fiber_main);
  }
  running_ = to;
  if (to != from) switch_fiber(from, to, dies);
}

void Executor::suspend() {
  Fiber* mine = running_;
  here.thread->fiber = mine;
  ++suspended;
  go_on_with(pick(), mine, false);
}

int Executor::wait_for_block(bool predicate, Place place) {
  const Thread* thread = here.thread;
  thread->state->place = place;
  if (!arrived_++) barrier_ = place;
  places_differ_ |= place.line != barrier_.line || place.file != barrier_.file;
  predicates_ += predicate;
  Wave& wave = waves[thread->wave];
  wave.at_barrier |= uint64_t{1} << thread->lane;
  if (all_blocked(wave)) release_wave(thread->wave);
  suspend();
  return votes_;
}

// Nobody can run. Ends the barrier that all wait at; false: nobody waits.
bool Executor::release_block() {
  for (int w = 0; w < waves_count_; ++w) {
    if (waves[w].in_collective) report_deadlock();
  }
  if (!arrived_) return false;
  if (places_differ_ || arrived_ != threads) check_barrier();
  ready_begin_ = 0;
  if (arrived_ == threads) {
    std::copy(sequence_, sequence_ + threads, ready_);
    ready_end_ = threads;
  } else {
    ready_end_ = 0;
    for (uint32_t i = 0; i < threads; ++i) {
      const Thread* thread = sequence_[i];
      if (waves[thread->wave].at_barrier >> thread->lane & 1) ready_[ready_end_++] = thread;
    }
  }
  for (int w = 0; w < waves_count_; ++w) waves[w].at_barrier = 0;
  votes_ = predicates_;
  arrived_ = 0;
  predicates_ = 0;
  places_differ_ = false;
  ++barriers_;
  return true;
}

// All threads that have not exited wait: do they wait at one barrier, and is none missing?
void Executor::check_barrier() {
  const Thread* first = nullptr;
  const Thread* exited = nullptr;
  const Thread* elsewhere = nullptr;
  for (uint32_t rank = 0; rank < threads; ++rank) {
    const Thread* thread = &threads_[rank];
    if (!(waves[thread->wave].at_barrier >> thread->lane & 1)) {
      if (!exited) exited = thread;
      continue;
    }
    if (!first) first = thread;
    const Place &here_place = thread->state->place, &first_place = first->state->place;
    if (!elsewhere &&
        (here_place.line != first_place.line || here_place.file != first_place.file)) {
      elsewhere = thread;
    }
  }
  const Thread* odd = elsewhere ? elsewhere : exited;
  if (!odd) return;
  Finding finding = found_here("divergent_barrier", "");
  const Place& place = first->state->place;
  finding.file = place.file;
  finding.line = place.line;
  finding.who = {true, index, first->index};
  finding.other = {true, index, odd->index};
  if (elsewhere) {
    finding.message = "threads of a block wait at different barriers: another one at " +
                      std::string(odd->state->place.file) + ":" +
                      std::to_string(odd->state->place.line);
  } else {
    finding.message = "a barrier that not all threads of the block reach: some have exited";
  }
  report(std::move(finding));
}

void Executor::report_deadlock() {
  for (int w = 0; w < waves_count_; ++w) {
    if (!waves[w].in_collective) continue;
    const Thread& waits = thread_of(w, __builtin_ctzll(waves[w].in_collective));
    const uint64_t absent = waits.state->mask & waves[w].at_barrier;
    Finding finding = found_here("deadlock", "");
    finding.file = waits.state->place.file;
    finding.line = waits.state->place.line;
    finding.who = {true, index, waits.index};
    finding.message = "waits for lanes of its wave that never come";
    if (absent) {
      const Thread& other = thread_of(w, __builtin_ctzll(absent));
      finding.other = {true, index, other.index};
      finding.message += ": one waits at " + std::string(other.state->place.file) + ":" +
                         std::to_string(other.state->place.line);
    } else {
      finding.message += ": their masks differ";
    }
    report(std::move(finding));
    break;
  }
  give_up(719);
}

// Leaves every thread of the block where it is.
void Executor::give_up(int error) {
  int none = 0;
  launch_->error.compare_exchange_strong(none, error);
  Fiber* mine = running_;
  switch_fiber(mine, &main_, true);
  __builtin_unreachable();
}

int wait_for_block(bool predicate, const char* file, int line) {
  return running_executor()->wait_for_block(predicate, {file, line});
}

bool finish_thread() { return running_executor()->finish_thread(); }

Who running_thread() {
  if (!here.thread) return {};
  return {true, here.block->index, here.thread->index};
}

std::string running_kernel() {
  Executor* executor = running_executor();
  return executor ? kernel_name(executor->launch()) : "";
}

}  // namespace emulated
}  // namespace opwright
