#include <opwright/kernel.h>

#include <chrono>
#include <thread>

template <typename T>
void starts(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  std::thread([] { std::this_thread::sleep_for(std::chrono::hours(1)); }).detach();
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = 2 * input(i);
}
