#include "findings.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <tuple>
#include <vector>

#include "options.h"

namespace opwright {
namespace emulated {
namespace {

constexpr size_t kMostFindings = 1000;

using Key = std::tuple<std::string, std::string, std::string, int, uintptr_t, uintptr_t>;

std::mutex mutex;
std::vector<Finding> findings;
std::map<Key, size_t> known;

std::string triple(uint3 v) {
  return "[" + std::to_string(v.x) + "," + std::to_string(v.y) + "," + std::to_string(v.z) + "]";
}

void add_who(std::string* line, const char* prefix, const Who& who) {
  if (!who.known) return;
  *line += std::string(",\"") + prefix + "block\":" + triple(who.block);
  *line += std::string(",\"") + prefix + "thread\":" + triple(who.thread);
}

// A program counter is told as an offset in the file it was loaded from, which is what addr2line
// asks for. It is a return address: one less lies within the call.
void add_pc(std::string* line, const char* prefix, uintptr_t pc) {
  Dl_info info;
  if (!pc || !dladdr(reinterpret_cast<void*>(pc), &info)) return;
  const uintptr_t offset = pc - 1 - reinterpret_cast<uintptr_t>(info.dli_fbase);
  *line += std::string(",\"") + prefix + "module\":" + json_string(info.dli_fname);
  *line += std::string(",\"") + prefix + "offset\":" + std::to_string(offset);
}

std::string to_json(const Finding& finding) {
  std::string line = "{\"kind\":" + json_string(finding.kind);
  line += finding.note ? ",\"level\":\"note\"" : ",\"level\":\"finding\"";
  line += ",\"message\":" + json_string(finding.message);
  line += ",\"kernel\":" + json_string(finding.kernel);
  if (!finding.file.empty()) {
    line += ",\"file\":" + json_string(finding.file) + ",\"line\":" + std::to_string(finding.line);
  }
  add_pc(&line, "", finding.pc);
  add_who(&line, "", finding.who);
  add_pc(&line, "other_", finding.other_pc);
  add_who(&line, "other_", finding.other);
  return line + ",\"count\":" + std::to_string(finding.count) + "}\n";
}

// Also what is found right before the process dies is told.
void append_to_file(const std::string& path, const std::string& line) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return;
  if (write(file, line.data(), line.size()) < 0) perror("opwright: emulator report");
  close(file);
}

}  // namespace

std::string json_string(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    char code[8];
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 32) {
      snprintf(code, sizeof(code), "\\u%04x", c);
      quoted += code;
    } else {
      quoted += c;
    }
  }
  return quoted + '"';
}

void report(Finding finding) {
  // A race is the same in whichever order its accesses came.
  const auto [first, second] = std::minmax(finding.pc, finding.other_pc);
  Key key{finding.kind, finding.kernel, finding.file, finding.line, first, second};
  std::lock_guard<std::mutex> lock(mutex);
  const auto place = known.find(key);
  if (place != known.end()) {
    ++findings[place->second].count;
    return;
  }
  if (findings.size() == kMostFindings) return;
  known.emplace(std::move(key), findings.size());
  if (!options().report.empty()) append_to_file(options().report, to_json(finding));
  findings.push_back(std::move(finding));
}

Finding found_here(const char* kind, std::string message) {
  Finding finding{};
  finding.kind = kind;
  finding.message = std::move(message);
  finding.kernel = running_kernel();
  finding.who = running_thread();
  finding.count = 1;
  return finding;
}

std::string findings_json() {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text;
  for (const Finding& finding : findings) text += to_json(finding);
  return text;
}

void forget_findings() {
  std::lock_guard<std::mutex> lock(mutex);
  findings.clear();
  known.clear();
}

}  // namespace emulated
}  // namespace opwright
