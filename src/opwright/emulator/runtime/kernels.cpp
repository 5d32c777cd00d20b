#include "kernels.h"

#include <memory>
#include <mutex>

#include "findings.h"

namespace opwright {
namespace emulated {
namespace {

std::mutex kernels_mutex;
std::map<std::string, std::unique_ptr<Kernel>> kernels;

std::string field(const char* name, uint64_t value) {
  return std::string(",\"") + name + "\":" + std::to_string(value);
}

std::string triple(const char* name, dim3 v) {
  return std::string(",\"") + name + "\":[" + std::to_string(v.x) + "," + std::to_string(v.y) +
         "," + std::to_string(v.z) + "]";
}

std::string to_json(const Kernel& kernel) {
  std::string line = "{\"kernel\":" + json_string(kernel.name);
  line += field("launches", kernel.launches) + field("blocks", kernel.blocks);
  line += field("threads", kernel.threads) + triple("grid", kernel.grid);
  line +=
      triple("block", kernel.block) + field("dynamic_shared_bytes", kernel.dynamic_shared_bytes);
  line += field("static_shared_bytes", kernel.static_shared_bytes);
  line += ",\"traffic\":{";
  const char* comma = "";
  for (const auto& [name, traffic] : kernel.traffic) {
    line += comma + json_string(name) + ":{\"read_bytes\":" + std::to_string(traffic.read_bytes);
    line += field("written_bytes", traffic.written_bytes);
    line += field("touched_read_bytes", traffic.touched_read_bytes);
    line += field("touched_written_bytes", traffic.touched_written_bytes) + "}";
    comma = ",";
  }
  return line + "}}\n";
}

}  // namespace

std::string kernel_name(const Launch& launch) {
  if (const char* name = launch.name) return kernel_name(name);
  const std::string written = launch.site->kernel;  // "(k<T>)"
  return written.size() > 2 ? written.substr(1, written.size() - 2) : written;
}

std::string kernel_name(const std::string& pretty) {
  size_t end = 0;
  int depth = 0;
  for (; end < pretty.size(); ++end) {
    if (pretty[end] == '<') ++depth;
    if (pretty[end] == '>') --depth;
    if (pretty[end] == '(' && depth == 0) break;
  }
  size_t begin = end;
  for (depth = 0; begin > 0; --begin) {
    const char c = pretty[begin - 1];
    if (c == '>') ++depth;
    if (c == '<') --depth;
    if (c == ' ' && depth == 0) break;
  }
  const size_t with = pretty.find(" [with ", end);
  return pretty.substr(begin, end - begin) + (with == std::string::npos ? "" : pretty.substr(with));
}

Kernel* kernel_called(const std::string& name) {
  std::lock_guard<std::mutex> lock(kernels_mutex);
  auto& kernel = kernels[name];
  if (!kernel) {
    kernel = std::make_unique<Kernel>();
    kernel->name = name;
  }
  return kernel.get();
}

void count_launch(const Launch& launch) {
  Kernel* kernel = kernel_called(kernel_name(launch));
  std::lock_guard<std::mutex> lock(kernels_mutex);
  const dim3 grid = launch.config.grid, block = launch.config.block;
  const uint64_t blocks = uint64_t{grid.x} * grid.y * grid.z;
  ++kernel->launches;
  kernel->blocks += blocks;
  kernel->threads += blocks * block.x * block.y * block.z;
  kernel->grid = grid;
  kernel->block = block;
  kernel->dynamic_shared_bytes = launch.config.shared_bytes;
  kernel->static_shared_bytes = launch.static_shared_bytes;
  for (const auto& [place, traffic] : launch.traffic) {
    Traffic& sum = kernel->traffic[place];
    sum.read_bytes += traffic.read_bytes;
    sum.written_bytes += traffic.written_bytes;
    sum.touched_read_bytes += traffic.touched_read_bytes;
    sum.touched_written_bytes += traffic.touched_written_bytes;
  }
}

std::string kernels_json() {
  std::lock_guard<std::mutex> lock(kernels_mutex);
  std::string text;
  for (const auto& [name, kernel] : kernels) text += to_json(*kernel);
  return text;
}

void forget_kernels() {
  std::lock_guard<std::mutex> lock(kernels_mutex);
  kernels.clear();
}

}  // namespace emulated
}  // namespace opwright
