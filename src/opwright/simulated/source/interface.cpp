// What Python asks of the device besides what PyTorch asks. Text lives until a thread asks again.
#include <cstdint>
#include <string>
#include <vector>

#include "arena.h"
#include "device.h"
#include "faults.h"
#include "journal.h"
#include "memory.h"
#include "stream.h"

using namespace opwright::simulated;

namespace {

const char* kept(std::string text) {
  static thread_local std::string last;
  last = std::move(text);
  return last.c_str();
}

const char* lines_of(const std::vector<Entry>& entries) {
  std::string text;
  for (const Entry& entry : entries) {
    text += std::to_string(entry.device) + "\t" + std::to_string(entry.stream) + "\t" + entry.name +
            "\n";
  }
  return kept(std::move(text));
}

}  // namespace

extern "C" {
#pragma GCC visibility push(default)

// Empty, or why not.
const char* opwright_simulated_begin() {
  try {
    protection();
    report_faults();
  } catch (const Error& error) {
    return kept(error.what_without_backtrace());
  }
  return kept("");
}

int opwright_simulated_device_count() { return kDevices; }

// Whether threads have rights of their own, so that the host is stopped at any time.
int opwright_simulated_has_keys() { return protection() == Protection::keys; }

const char* opwright_simulated_delay(int device, int64_t stream, int64_t microseconds) {
  try {
    delay(stream_of(device, stream), microseconds);
  } catch (const Error& error) {
    return kept(error.what_without_backtrace());
  }
  return kept("");
}

// Lines of device, stream (-1: none) and name, with tabs between them.
const char* opwright_simulated_launches() { return lines_of(launches().take()); }
const char* opwright_simulated_synchronizations() { return lines_of(synchronizations().take()); }

// Lines of device, address and size of a block, offset, and count of bytes.
const char* opwright_simulated_strays() {
  std::string text;
  for (const Stray& stray : take_strays()) {
    text += std::to_string(stray.device) + "\t" +
            std::to_string(reinterpret_cast<uintptr_t>(stray.block)) + "\t" +
            std::to_string(stray.size) + "\t" + std::to_string(stray.offset) + "\t" +
            std::to_string(stray.count) + "\n";
  }
  return kept(std::move(text));
}

void opwright_simulated_set_fresh_byte(int byte) { set_fresh_byte(static_cast<uint8_t>(byte)); }

#pragma GCC visibility pop
}
