// What is counted of each kernel.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "executor.h"

namespace opwright {
namespace emulated {

struct Kernel {
  std::string name;
  uint64_t launches = 0;
  uint64_t blocks = 0;
  uint64_t threads = 0;
  dim3 grid, block;  // of the last launch
  uint64_t dynamic_shared_bytes = 0;
  uint64_t static_shared_bytes = 0;
  std::map<std::string, Traffic> traffic;  // watched launches only
};

// "k [with T = float]" for what __PRETTY_FUNCTION__ says in a kernel.
std::string kernel_name(const std::string& pretty);

// What the kernel is called; as it was written in the launch as long as it has not begun.
std::string kernel_name(const Launch& launch);

Kernel* kernel_called(const std::string& name);
void count_launch(const Launch& launch);
std::string kernels_json();
void forget_kernels();

}  // namespace emulated
}  // namespace opwright
