#include "simulated.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "errors.h"
#include "executor.h"
#include "kernels.h"
#include "limits.h"
#include "options.h"

namespace opwright {
namespace emulated {
namespace {

const opwright_simulated_driver_table* find_driver() {
  const auto find = reinterpret_cast<opwright_simulated_driver_function>(
      dlsym(RTLD_DEFAULT, "opwright_simulated_driver"));
  if (find) return find();
  fprintf(stderr, "opwright: a library for the simulated device, and no such device is loaded\n");
  abort();
}

// A launch with all that it needs later.
struct Later {
  Site site;
  Config config;
  void (*threads)(void*);
  void* context;
  void (*release)(void*);

  static int run(void* later) {
    const Later& self = *static_cast<Later*>(later);
    Launch launch(&self.site, self.config, self.threads, self.context, __builtin_frame_address(0));
    launch.shared_limit = shared_limit(self.site);
    return perform(&launch);
  }
  static void end(void* later) {
    auto* self = static_cast<Later*>(later);
    self->release(self->context);
    delete self;
  }
};

}  // namespace

const opwright_simulated_driver_table* simulated() {
  if (!options().simulated) return nullptr;
  static const opwright_simulated_driver_table* const driver = find_driver();
  return driver;
}

void launch_on_stream(const Site& site, const Config& config, void (*threads)(void*), void* context,
                      void (*release)(void*)) {
  auto* later = new Later{site, config, threads, context, release};
  Launch launch(&later->site, config, threads, context, __builtin_frame_address(0));
  if (!admit(&launch)) {
    Later::end(later);
    return;
  }
  const std::string name = kernel_name(launch);
  const int error =
      simulated()->enqueue(config.stream, name.c_str(), &Later::run, &Later::end, later);
  if (error) {  // what was kept for later is gone by now
    keep_launch_error(error, Launch(&site, config, threads, nullptr, nullptr), error_text(error));
  }
}

}  // namespace emulated
}  // namespace opwright
