// Runs the blocks of a launch, one after another, on one host thread.
//
// Threads run to their end one after another on one stack. Only when one has to wait does the next
// get a stack of its own; so a kernel without barriers and shuffles is a loop, and nobody has to
// say which kernels those are.
#pragma once

#include <atomic>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "fiber.h"
#include "options.h"
#include "opwright/emulated/launch.h"
#include "opwright/emulated/wave.h"
#include "shared.h"
#include "traffic.h"

namespace opwright {
namespace emulated {

// One launch, as all executors see it.
struct Launch {
  const Site* site;
  Config config;
  void (*threads)(void*);
  void* context;
  const void* frame;
  size_t shared_limit = 0;  // of static and dynamic shared memory together
  std::atomic<uint64_t> next_block{0};
  std::atomic<int> error{0};               // the launch is given up
  std::atomic<const char*> name{nullptr};  // as the kernel itself says
  std::atomic<size_t> static_shared_bytes{0};
  std::string refusal;                     // why the kernel did not begin
  std::map<std::string, Traffic> traffic;  // of a watched launch

  Launch(const Site* site, const Config& config, void (*threads)(void*), void* context,
         const void* frame)
      : site(site), config(config), threads(threads), context(context), frame(frame) {}
};

// Whether the device would take it; where not, the error is kept.
bool admit(Launch* run);
// Runs all blocks. Returns an error's number.
int perform(Launch* run);

struct ThreadState {
  Place place{};  // where it waits
  bool masked = false;
  Collective kind = Collective::sync;
  int source = 0;
  uint64_t mask = 0;
  uint64_t value = 0;
  uint64_t result = 0;
  // What is known of memory order: see access.cpp.
  uint32_t clock = 0;
  std::vector<uint32_t> seen;
  bool fenced = false;
};

class Executor : public Block {
 public:
  Executor();

  void run(Launch* launch);

  // Called on the stack of a device thread.
  int wait_for_block(bool predicate, Place place);
  uint64_t collective(Collective kind, uint64_t value, int source, uint64_t mask, bool masked,
                      Place place);
  bool finish_thread();
  [[noreturn]] void give_up(int error);

  Launch& launch() { return *launch_; }
  SharedMemory& shared_memory() { return shared_memory_; }
  // Of a thread, or of the emulator itself.
  bool owns_stack(const void* address) const {
    return fibers_.owns(address) || (address >= main_.bottom && address < launch_->frame);
  }
  uint32_t barriers() const { return barriers_; }
  const Thread& thread_of(int wave, int lane) const { return threads_[wave * wave_size_ + lane]; }
  uint64_t block_number() const { return block_number_; }

 private:
  friend class WaveRelease;

  static void fiber_main();
  void prepare_threads();
  void run_block(uint64_t number);
  void start(const Thread* thread);
  void begin_block();
  const Thread* pick();
  const Thread* begin_next();
  const Thread* draw();
  void suspend();
  void go_on_with(const Thread* next, Fiber* from, bool dies);
  bool release_block();
  void check_barrier();
  void release_wave(int wave);
  bool all_blocked(const Wave& wave) const {
    return wave.in_collective && !(wave.live & ~(wave.in_collective | wave.at_barrier));
  }
  void make_first(const Thread* thread) { ready_[--ready_begin_ % kMostThreads] = thread; }
  const Thread* take_ready();
  [[noreturn]] void report_deadlock();

  Launch* launch_ = nullptr;
  int wave_size_ = 32;
  int waves_count_ = 0;
  uint64_t block_number_ = 0;
  uint32_t barriers_ = 0;  // that this block has passed
  int votes_ = 0;          // true predicates at the last barrier
  // At the barrier that threads wait at now:
  uint32_t arrived_ = 0;
  int predicates_ = 0;
  Place barrier_{};
  bool places_differ_ = false;
  Order order_ = Order::forward;
  std::mt19937_64 random_;
  Thread threads_[kMostThreads] = {};
  ThreadState states_[kMostThreads];
  const Thread* sequence_[kMostThreads];
  dim3 prepared_dim_{0, 0, 0};
  Order prepared_order_ = Order::forward;
  int prepared_wave_size_ = 0;
  // A ring of the threads that can go on, and its ends, which grow beyond it and wrap around.
  const Thread* ready_[kMostThreads];
  uint32_t ready_begin_ = 0, ready_end_ = 0;
  FiberPool fibers_;
  Fiber main_;
  Fiber* running_ = nullptr;
  SharedMemory shared_memory_;
};

// The one that this host thread runs kernels with; null outside kernels.
inline Executor* running_executor() { return static_cast<Executor*>(here.block); }

}  // namespace emulated
}  // namespace opwright
