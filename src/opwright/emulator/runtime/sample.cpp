#include "sample.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "executor.h"
#include "findings.h"

namespace opwright {
namespace emulated {
namespace {

constexpr size_t kMostTurns = 8;         // of one place, that are looked at closely
constexpr uint32_t kMostCounted = 1024;  // of one place and lane, that are counted
constexpr uintptr_t kSectorBytes = 32;
constexpr uintptr_t kBanks = 32, kBankBytes = 4;

// The addresses of the lanes that are at a place for the nth time.
using Turn = std::vector<uintptr_t>;

struct Spot {
  size_t size_bytes = 0;
  bool write = false;
  bool shared = false;
  std::map<uint32_t, uint32_t> times;  // by lane
  std::vector<Turn> turns;
};

struct Sample {
  std::map<uintptr_t, Spot> spots;  // by program counter
  uint32_t lanes = 0;
  std::string kernel;
};

Sample& sample() {
  static Sample sample;
  return sample;
}

void note(const char* kind, uintptr_t pc, std::string message) {
  Finding finding{};
  finding.kind = kind;
  finding.kernel = sample().kernel;
  finding.message = std::move(message);
  finding.pc = pc;
  finding.note = true;
  report(std::move(finding));
}

size_t sectors(const Turn& turn, size_t size_bytes) {
  std::set<uintptr_t> touched;
  for (uintptr_t address : turn) {
    for (uintptr_t at = address / kSectorBytes; at <= (address + size_bytes - 1) / kSectorBytes;
         ++at)
      touched.insert(at);
  }
  return touched.size();
}

// As many sectors as hold the distinct elements, were they side by side.
size_t fewest_sectors(const Turn& turn, size_t size_bytes) {
  const size_t distinct = std::set<uintptr_t>(turn.begin(), turn.end()).size();
  return (distinct * size_bytes + kSectorBytes - 1) / kSectorBytes;
}

// How many different words one bank has to give at most. Wide accesses go by halves and quarters
// of 32 lanes, as on the devices.
size_t conflict(const Turn& turn, size_t size_bytes) {
  const size_t together =
      std::max<size_t>(1, kBanks * kBankBytes / std::max(size_bytes, kBankBytes));
  size_t most = 0;
  for (size_t begin = 0; begin < turn.size(); begin += together) {
    std::map<uintptr_t, std::set<uintptr_t>> words;
    for (size_t i = begin; i < std::min(begin + together, turn.size()); ++i) {
      const uintptr_t word = turn[i] / kBankBytes;
      words[word % kBanks].insert(word);
    }
    for (const auto& [bank, of] : words) most = std::max(most, of.size());
  }
  return most;
}

void hint_coalescing(uintptr_t pc, const Spot& spot) {
  size_t taken = 0, fewest = 0;
  for (const Turn& turn : spot.turns) {
    if (turn.size() < sample().lanes) continue;
    taken += sectors(turn, spot.size_bytes);
    fewest += fewest_sectors(turn, spot.size_bytes);
  }
  if (taken < 2 * fewest || taken == 0) return;
  note("uncoalesced", pc,
       std::string("a wave's ") + (spot.write ? "writes" : "reads") + " take " +
           std::to_string(taken) + " sectors of 32 bytes where " + std::to_string(fewest) +
           " would do");
}

void hint_banks(uintptr_t pc, const Spot& spot) {
  size_t most = 0;
  for (const Turn& turn : spot.turns) most = std::max(most, conflict(turn, spot.size_bytes));
  if (most < 2) return;
  note("bank_conflict", pc,
       std::to_string(most) + " lanes of a wave meet in one bank of shared memory");
}

void hint_divergence(uintptr_t pc, const Spot& spot) {
  uint32_t most = 0, lanes_there = 0;
  for (const auto& [lane, times] : spot.times) most = std::max(most, times);
  for (const auto& [lane, times] : spot.times) lanes_there += times == most;
  if (lanes_there == sample().lanes) return;
  note("divergence", pc,
       std::to_string(lanes_there) + " of " + std::to_string(sample().lanes) +
           " lanes of a wave get here " + (most == 1 ? "" : "most often, ") +
           "and the others wait");
}

}  // namespace

void sample_access(Executor* executor, uintptr_t address, size_t size_bytes, bool write,
                   bool shared, uintptr_t pc) {
  if (executor->block_number() != 0 || here.thread->wave != 0) return;
  if (sample().kernel.empty()) {
    const auto wave = static_cast<uint32_t>(executor->launch().site->wave_size);
    sample().kernel = running_kernel();
    sample().lanes = std::min(wave, here.block->threads);
  }
  Spot& spot = sample().spots[pc];
  spot.size_bytes = size_bytes;
  spot.write = write;
  spot.shared = shared;
  uint32_t& times = spot.times[here.thread->lane];
  if (times < kMostTurns) {
    if (spot.turns.size() <= times) spot.turns.resize(times + 1);
    spot.turns[times].push_back(address);
  }
  if (times < kMostCounted) ++times;
}

void begin_sample() { sample() = {}; }

void end_sample() {
  for (const auto& [pc, spot] : sample().spots) {
    hint_divergence(pc, spot);
    if (spot.shared) {
      hint_banks(pc, spot);
    } else {
      hint_coalescing(pc, spot);
    }
  }
  sample() = {};
}

}  // namespace emulated
}  // namespace opwright
