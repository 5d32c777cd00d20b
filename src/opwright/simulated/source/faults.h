// Accesses to device memory by those who may not.
#pragma once

#include <functional>
#include <string>

namespace opwright {
namespace simulated {

// Runs a task of a worker. What it says is empty, or which memory the task has touched that it may
// not: then it was left in the middle.
std::string run_catching_faults(const std::function<void()>& run, const std::string& name);

// What the task that this thread runs is called in that text.
void name_in_faults(const std::string& name);

// From now on, a host thread that touches device memory ends the process with SIGSEGV, after a
// message that says what it touched.
void report_faults();

}  // namespace simulated
}  // namespace opwright
