// What the emulator found, and how it is told.
#pragma once

#include <cstdint>
#include <string>

#include "opwright/emulated/here.h"

namespace opwright {
namespace emulated {

// A thread of a launch, kept by value: its block may be over when it is told.
struct Who {
  bool known = false;
  uint3 block{};
  uint3 thread{};
};

struct Finding {
  const char* kind;
  std::string message;
  std::string kernel;
  std::string file;  // where known without the program counter
  int line = 0;
  uintptr_t pc = 0;  // 0: not known
  Who who;
  uintptr_t other_pc = 0;  // the second access of a race
  Who other;
  bool note = false;  // a fact, not a fault
  uint64_t count = 1;
};

Who running_thread();

// The kernel that this host thread runs, "" outside kernels.
std::string running_kernel();

// Keeps it. The same kind at the same place of the same kernel is counted, not kept again.
void report(Finding finding);

// A finding of the running thread.
Finding found_here(const char* kind, std::string message);

std::string json_string(const std::string& text);
std::string findings_json();
void forget_findings();

}  // namespace emulated
}  // namespace opwright
