// Loops over the threads of PyTorch's own pool, so that torch.set_num_threads() is honoured.
#pragma once

#include <stdint.h>

#include <exception>

// Calls `f(begin, end, context)` on pieces that make up the range, each at least `grain` long
// except the last. The generated binding defines it; hidden, so that two libraries never share one.
extern "C" __attribute__((visibility("hidden"))) void opwright_parallel_for(
    int64_t begin, int64_t end, int64_t grain, void (*f)(int64_t, int64_t, void*), void* context);

namespace opwright {

namespace detail {

template <typename F>
struct ParallelCall {
  F* f;
  std::exception_ptr error;
  bool failed;

  // No exception may cross the C function in between: the first one is kept, and the pieces that
  // have not started yet are dropped.
  // Not inlined: there is one copy of f for the call on this thread and for those on others.
  __attribute__((noinline)) static void run(int64_t begin, int64_t end, void* context) noexcept {
    auto* call = static_cast<ParallelCall*>(context);
    if (__atomic_load_n(&call->failed, __ATOMIC_RELAXED)) return;
    try {
      (*call->f)(begin, end);
    } catch (...) {
      if (!__atomic_exchange_n(&call->failed, true, __ATOMIC_ACQ_REL)) {
        call->error = std::current_exception();
      }
    }
  }
};

}  // namespace detail

// Calls `f(begin, end)` on pieces that make up [begin, end), in any order and on several threads.
// A piece is at least `grain` long, except the last: choose it so that a piece is some 10 µs of
// work. What `f` throws reaches the caller after every thread has stopped.
template <typename F>
void parallel_for(int64_t begin, int64_t end, int64_t grain, F&& f) {
  if (begin >= end) return;
  auto call_f = [&f](int64_t from, int64_t to) { f(from, to); };
  detail::ParallelCall<decltype(call_f)> call{&call_f, nullptr, false};
  if (end - begin <= grain) {
    call.run(begin, end, &call);
  } else {
    opwright_parallel_for(begin, end, grain, &call.run, &call);
  }
  if (call.failed) std::rethrow_exception(call.error);
}

}  // namespace opwright
