#include <opwright/kernel.h>

#include <csignal>

template <typename T>
void handles(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  std::signal(SIGUSR1, SIG_IGN);
  for (int64_t i = 0; i < output.numel(); ++i) output(i) = 2 * input(i);
}
