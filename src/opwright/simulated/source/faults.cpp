// longjmp leaves a kernel's stack for the worker's; the checked one would refuse that.
#undef _FORTIFY_SOURCE
#include "faults.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "arena.h"
#include "device.h"
#include "memory.h"

namespace opwright {
namespace simulated {
namespace {

struct Running {
  sigjmp_buf back;
  std::string name;
  char said[512];
};

thread_local Running* running = nullptr;
struct sigaction before[2];  // of SIGSEGV and SIGBUS

void tell_host(const void* address) {
  char text[512];
  const int size = snprintf(text, sizeof(text),
                            "opwright: the host accessed device memory: %s\n"
                            "Copy it to the host first: tensor.cpu(), or a kernel on a stream.\n",
                            describe_address(address).text);
  if (write(STDERR_FILENO, text, static_cast<size_t>(size)) < 0) return;
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction& next = before[signal == SIGBUS];
  if (next.sa_flags & SA_SIGINFO) {
    next.sa_sigaction(signal, info, context);
  } else if (next.sa_handler != SIG_DFL && next.sa_handler != SIG_IGN) {
    next.sa_handler(signal);
  } else {
    sigaction(signal, &next, nullptr);  // the access is made again, and ends the process
  }
}

void handle(int signal, siginfo_t* info, void* context) {
  if (!running) {
    if (device_of(info->si_addr) >= 0) tell_host(info->si_addr);
    pass_on(signal, info, context);
    return;
  }
  snprintf(running->said, sizeof(running->said),
           "an illegal memory access was encountered: %s accessed %s, which is not its device's",
           running->name.empty() ? "work" : running->name.c_str(),
           describe_address(info->si_addr).text);
  siglongjmp(running->back, 1);
}

}  // namespace

std::string run_catching_faults(const std::function<void()>& run, const std::string& name) {
  Running mine;
  mine.name = name;
  if (sigsetjmp(mine.back, 1)) {
    running = nullptr;
    return mine.said;
  }
  running = &mine;
  try {
    run();
  } catch (...) {
    running = nullptr;
    throw;
  }
  running = nullptr;
  return "";
}

void name_in_faults(const std::string& name) {
  if (running) running->name = name;
}

void report_faults() {
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before[0]);
  sigaction(SIGBUS, &action, &before[1]);
}

}  // namespace simulated
}  // namespace opwright
