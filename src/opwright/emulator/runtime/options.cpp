#include "options.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace opwright {
namespace emulated {
namespace {

bool parse_number(const std::string& text, uint64_t* number) {
  char* end = nullptr;
  *number = strtoull(text.c_str(), &end, 0);
  return !text.empty() && !*end;
}

bool parse_order(const std::string& text, Order* order, uint64_t* seed) {
  if (text == "forward") {
    *order = Order::forward;
  } else if (text == "reverse") {
    *order = Order::reverse;
  } else if (text.rfind("random:", 0) == 0 && parse_number(text.substr(7), seed)) {
    *order = Order::random;
  } else {
    return false;
  }
  return true;
}

bool apply(Options* options, const std::string& name, const std::string& value) {
  uint64_t number = 0;
  if (name == "order") {
    return parse_order(value, &options->block_order, &options->seed) &&
           parse_order(value, &options->thread_order, &options->seed);
  }
  if (name == "block_order") return parse_order(value, &options->block_order, &options->seed);
  if (name == "thread_order") return parse_order(value, &options->thread_order, &options->seed);
  if (name == "threads") {
    if (!parse_number(value, &number) || number > 1024) return false;
    options->host_threads = static_cast<int>(number);
    return true;
  }
  if (name == "stream") {
    options->any_stream = value == "any";
    if (options->any_stream) return true;
    if (!parse_number(value, &number)) return false;
    options->stream = reinterpret_cast<const void*>(number);
    return true;
  }
  if (name == "device") {
    options->simulated = value == "simulated";
    // What has to be told apart by host threads: a worker, and everybody else.
    if (options->simulated) options->host_threads = 1;
    return options->simulated || value == "none";
  }
  if (name == "report") {
    options->report = value;
    return true;
  }
  return false;
}

Options from_environment() {
  Options options;
  const char* text = getenv("OPWRIGHT_EMULATED");
  std::istringstream words(text ? text : "");
  for (std::string word; std::getline(words, word, ',');) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos ||
        !apply(&options, word.substr(0, equals), word.substr(equals + 1))) {
      fprintf(stderr, "opwright: OPWRIGHT_EMULATED: there is no option %s\n", word.c_str());
      abort();
    }
  }
  return options;
}

}  // namespace

Options& options() {
  static Options options = from_environment();
  return options;
}

bool set_option(const std::string& name, const std::string& value) {
  return apply(&options(), name, value);
}

}  // namespace emulated
}  // namespace opwright
