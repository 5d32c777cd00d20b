// A launch: held to the limits of the device, then spread over the host's processors.
#include "opwright/emulated/launch.h"

#include <sched.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "access.h"
#include "errors.h"
#include "executor.h"
#include "findings.h"
#include "kernels.h"
#include "limits.h"
#include "simulated.h"
#include "traps.h"

namespace opwright {
namespace emulated {
namespace {

constexpr int kMostHostThreads = 16;
constexpr uint64_t kWorthAThread =
    16'384;  // device threads: a host thread takes some 30 us to start

// Executors own large stacks, so they are kept for the next launch.
std::mutex launch_mutex;
std::vector<std::unique_ptr<Executor>> idle;

std::unique_ptr<Executor> take_executor() {
  std::lock_guard<std::mutex> lock(launch_mutex);
  if (idle.empty()) return std::make_unique<Executor>();
  std::unique_ptr<Executor> executor = std::move(idle.back());
  idle.pop_back();
  return executor;
}

void run_on_this_thread(Launch* launch) {
  std::unique_ptr<Executor> executor = take_executor();
  executor->run(launch);
  std::lock_guard<std::mutex> lock(launch_mutex);
  idle.push_back(std::move(executor));
}

int processors() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed)) return 1;
  return std::min(CPU_COUNT(&allowed), kMostHostThreads);
}

// One where memory is watched: what is known of it has no locks, and a finding is the same each
// time.
int host_threads(const Launch& launch) {
  if (launch.site->watched) return 1;
  const dim3 grid = launch.config.grid, block = launch.config.block;
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  const uint64_t work = blocks * block.x * block.y * block.z / kWorthAThread;
  const int most = options().host_threads ? options().host_threads : processors();
  return static_cast<int>(std::clamp<uint64_t>(std::min(work, blocks), 1, uint64_t(most)));
}

void run_blocks(Launch* launch) {
  std::vector<std::thread> others;
  for (int i = 1; i < host_threads(*launch); ++i) others.emplace_back(run_on_this_thread, launch);
  run_on_this_thread(launch);
  for (std::thread& other : others) other.join();
}

}  // namespace

bool admit(Launch* run) {
  if (here.thread) {
    report(found_here("unsupported", "a kernel launches a kernel, which is not emulated"));
    running_executor()->give_up(kNotSupported);
  }
  watch_for_address_errors();
  report_ignored_error();
  const Site& site = *run->site;
  use_stream(run->config.stream, kernel_name(*run), site.file, site.line);
  run->shared_limit = shared_limit(site);
  const Refusal refusal = check_limits(*run);
  if (refusal.error) {
    keep_launch_error(refusal.error, *run, refusal.reason);
    return false;
  }
  return !lasting_error();
}

int perform(Launch* run) {
  if (run->site->watched) begin_watched_launch();
  run_blocks(run);
  if (run->site->watched) end_watched_launch(run);
  if (run->error == kInvalidValue || run->error == kLaunchOutOfResources) {
    keep_launch_error(run->error, *run, run->refusal);
  } else {
    count_launch(*run);
    keep_error(run->error);
  }
  return run->error;
}

void launch(const Site& site, const Config& config, void (*threads)(void*), void* context,
            const void* frame) {
  Launch run(&site, config, threads, context, frame);
  if (admit(&run)) perform(&run);
}

void enter_kernel(const char* name, unsigned most_threads) {
  Executor* executor = running_executor();
  if (!executor) {
    fprintf(stderr, "opwright: %s is a kernel, and is called like a function of the host\n", name);
    abort();
  }
  executor->kernel = name;
  executor->launch().name = name;
  if (simulated()) simulated()->name_work(kernel_name(std::string(name)).c_str());
  if (executor->threads <= most_threads) return;
  executor->launch().refusal = std::to_string(executor->threads) +
                               " threads a block; the kernel's " + "__launch_bounds__ allow " +
                               std::to_string(most_threads);
  executor->give_up(kLaunchOutOfResources);
}

}  // namespace emulated
}  // namespace opwright
