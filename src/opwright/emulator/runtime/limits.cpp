#include "limits.h"

#include <atomic>
#include <map>
#include <mutex>

#include "errors.h"
#include "findings.h"
#include "opwright/emulated/attributes.h"

namespace opwright {
namespace emulated {
namespace {

constexpr uint64_t kMostBlocksX = 2147483647;
constexpr uint64_t kMostBlocksYZ = 65535;
constexpr unsigned kMostThreadsZ = 64;
constexpr size_t kDefaultShared = 48 << 10;
constexpr size_t kMostSharedCuda = 227 << 10;  // on asking, since sm_90
constexpr size_t kMostSharedHip = 64 << 10;
constexpr uint64_t kMostThreadsOfGridHip = uint64_t{1} << 32;

std::mutex limits_mutex;
std::map<std::string, size_t> asked;

std::string text(dim3 v) {
  return "(" + std::to_string(v.x) + ", " + std::to_string(v.y) + ", " + std::to_string(v.z) + ")";
}

// "k<float>" for "(k<float>)", "&k<float>", "reinterpret_cast<const void*>(k<float>)".
std::string spelled(const std::string& kernel) {
  std::string name;
  for (const char c : kernel) {
    if (c != ' ' && c != '(' && c != ')' && c != '&' && c != '\n') name += c;
  }
  for (const char* cast : {"reinterpret_cast<constvoid*>", "reinterpret_cast<void*>",
                           "static_cast<constvoid*>", "constvoid*", "void*"}) {
    if (name.rfind(cast, 0) == 0) return name.substr(std::string(cast).size());
  }
  return name;
}

}  // namespace

Refusal check_limits(const Launch& launch) {
  const dim3 grid = launch.config.grid, block = launch.config.block;
  if (!grid.x || !grid.y || !grid.z) return {kInvalidConfiguration, "the grid is " + text(grid)};
  if (!block.x || !block.y || !block.z) {
    return {kInvalidConfiguration, "the block is " + text(block)};
  }
  const uint64_t threads = uint64_t{block.x} * block.y * block.z;
  if (block.x > kMostThreads || block.y > kMostThreads || block.z > kMostThreadsZ ||
      threads > kMostThreads) {
    return {kInvalidConfiguration, "the block is " + text(block) + ", that is " +
                                       std::to_string(threads) + " threads; at most 1024 a block"};
  }
  if (grid.x > kMostBlocksX || grid.y > kMostBlocksYZ || grid.z > kMostBlocksYZ) {
    return {kInvalidConfiguration,
            "the grid is " + text(grid) + "; at most (2147483647, 65535, 65535)"};
  }
  if (launch.site->vendor == Vendor::hip && uint64_t{grid.x} * block.x >= kMostThreadsOfGridHip) {
    return {kInvalidConfiguration, "the grid is " + text(grid) + " blocks of " + text(block) +
                                       " threads; HIP allows fewer than 2^32 threads along x"};
  }
  if (launch.config.shared_bytes > launch.shared_limit) {
    return {kInvalidValue, std::to_string(launch.config.shared_bytes) +
                               " bytes of dynamic shared memory; the limit is " +
                               std::to_string(launch.shared_limit)};
  }
  return {};
}

size_t shared_limit(const Site& site) {
  if (site.vendor == Vendor::hip) return kMostSharedHip;
  std::lock_guard<std::mutex> lock(limits_mutex);
  const auto entry = asked.find(spelled(site.kernel));
  return entry == asked.end() ? kDefaultShared : std::max(kDefaultShared, entry->second);
}

int set_dynamic_shared_limit(const char* kernel, long long size_bytes, Vendor vendor) {
  const size_t most = vendor == Vendor::hip ? kMostSharedHip : kMostSharedCuda;
  if (size_bytes < 0 || static_cast<unsigned long long>(size_bytes) > most) {
    return keep_error(kInvalidValue);
  }
  std::lock_guard<std::mutex> lock(limits_mutex);
  asked[spelled(kernel)] = static_cast<size_t>(size_bytes);
  return kSuccess;
}

void use_stream(const void* stream, const std::string& what, const char* file, int line) {
  if (options().any_stream || stream == options().stream) return;
  Finding finding{};
  finding.kind = "wrong_stream";
  finding.message = what + " is put on " + (stream ? "another" : "the default") +
                    " stream instead of the current one";
  finding.kernel = what;
  finding.file = file;
  finding.line = line;
  finding.count = 1;
  report(std::move(finding));
}

Stream new_stream() {
  static std::atomic<uintptr_t> last{0};
  return reinterpret_cast<Stream>(uintptr_t{0x1000} * ++last);
}

void work_on_stream(Stream stream, const char* what, const char* file, int line) {
  use_stream(stream, what, file, line);
}

void forget_shared_limits() {
  std::lock_guard<std::mutex> lock(limits_mutex);
  asked.clear();
}

}  // namespace emulated
}  // namespace opwright
