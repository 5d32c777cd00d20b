// What a device refuses to run.
#pragma once

#include <cstddef>
#include <string>

#include "executor.h"

namespace opwright {
namespace emulated {

struct Refusal {
  int error = 0;  // 0: nothing is wrong
  std::string reason;
};

Refusal check_limits(const Launch& launch);

// Bytes of shared memory that a block of this kernel may have.
size_t shared_limit(const Site& site);

// Work is put on `stream`: is it the one that it is expected on?
void use_stream(const void* stream, const std::string& what, const char* file, int line);

void forget_shared_limits();

}  // namespace emulated
}  // namespace opwright
