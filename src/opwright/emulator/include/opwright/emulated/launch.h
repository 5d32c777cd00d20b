// Launching a kernel. The translator writes `kernel<<<grid, block, shared, stream>>>(arguments)` as
//
//   OPWRIGHT_LAUNCH((kernel), (grid, block, shared, stream))(arguments)
//
// and begins the body of a kernel with OPWRIGHT_KERNEL_ENTRY(bounds), bounds as in
// __launch_bounds__(bounds), empty where there is none.
#pragma once

#include <tuple>
#include <utility>

#include "here.h"
#include "vendor.h"

namespace opwright {
namespace emulated {

struct Config {
  dim3 grid, block;
  size_t shared_bytes;
  Stream stream;
  Config(dim3 grid, dim3 block, size_t shared_bytes = 0, Stream stream = nullptr)
      : grid(grid), block(block), shared_bytes(shared_bytes), stream(stream) {}
};

// What is known of a launch before its kernel runs.
struct Site {
  const char* kernel;  // as written
  const char* file;
  int line;
  int wave_size;
  Vendor vendor;
  bool watched;  // its memory accesses are reported by the compiler's instrumentation
};

// Runs `threads(context)` for the threads of every block, or keeps the error that the device
// would. What lies below `frame` on the stack is the emulator's, not memory that the kernel was
// given.
void launch(const Site& site, const Config& config, void (*threads)(void*), void* context,
            const void* frame);

// The same later, and perhaps more than once: on the stream of a simulated device, which calls
// `release(context)` when it needs neither any more.
void launch_on_stream(const Site& site, const Config& config, void (*threads)(void*), void* context,
                      void (*release)(void*));

// What a kernel says of itself before anything else; it does not return if it may not run so.
void enter_kernel(const char* name, unsigned most_threads);

OPWRIGHT_EMULATED_HIDDEN void begin_kernel(const char* name, unsigned most_threads = kMostThreads,
                                           int = 0, int = 0) {
  if (!here.block || here.block->kernel != name) enter_kernel(name, most_threads);
}

template <typename Kernel, typename Arguments>
struct Call {
  const Kernel& kernel;
  const Arguments& arguments;

  // Every thread has its own copy of the arguments, as on a device.
  __attribute__((no_sanitize("thread"))) static void threads(void* context) {
    const Call& call = *static_cast<const Call*>(context);
    do {
      std::apply(call.kernel, call.arguments);
    } while (next_thread());
  }
};

#if defined(OPWRIGHT_SIMULATED)
// A kernel with its arguments, kept until the device has run it.
template <typename Kernel, typename... Arguments>
struct Kept {
  const Kernel kernel;
  const std::tuple<Arguments...> arguments;

  static void threads(void* context) {
    const Kept& kept = *static_cast<const Kept*>(context);
    Call<Kernel, std::tuple<Arguments...>> call{kept.kernel, kept.arguments};
    call.threads(&call);
  }
  static void release(void* context) { delete static_cast<const Kept*>(context); }
};
#endif

template <typename Kernel>
struct Launcher {
  Site site;
  Config config;
  Kernel kernel;

#if defined(OPWRIGHT_SIMULATED)
  template <typename... Arguments>
  void operator()(Arguments... arguments) const {
    using Mine = Kept<Kernel, Arguments...>;
    launch_on_stream(site, config, &Mine::threads, new Mine{kernel, {std::move(arguments)...}},
                     &Mine::release);
  }
#else
  template <typename... Arguments>
  __attribute__((noinline)) void operator()(Arguments... arguments) const {
    const Kernel own = kernel;
    const std::tuple<Arguments...> kept(std::move(arguments)...);
    Call<Kernel, std::tuple<Arguments...>> call{own, kept};
    launch(site, config, &call.threads, &call, __builtin_frame_address(0));
  }
#endif
};

template <typename Kernel>
Launcher<Kernel> launcher(const Site& site, const Config& config, Kernel kernel) {
  return {site, config, kernel};
}

}  // namespace emulated
}  // namespace opwright

#ifdef __SANITIZE_THREAD__
#define OPWRIGHT_EMULATED_WATCHED true
#else
#define OPWRIGHT_EMULATED_WATCHED false
#endif

#define OPWRIGHT_LAUNCH(kernel, config)                                                \
  ::opwright::emulated::launcher(                                                      \
      ::opwright::emulated::Site{#kernel, __FILE__, __LINE__, OPWRIGHT_WAVE_SIZE,      \
                                 OPWRIGHT_EMULATED_VENDOR, OPWRIGHT_EMULATED_WATCHED}, \
      ::opwright::emulated::Config config,                                             \
      [=](auto... opwright_arguments) { kernel(opwright_arguments...); })

#define OPWRIGHT_KERNEL_ENTRY(...) \
  ::opwright::emulated::begin_kernel(__PRETTY_FUNCTION__ __VA_OPT__(, ) __VA_ARGS__);
