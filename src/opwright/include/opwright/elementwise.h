// Loops that compute every output element from the input elements at the same place.
//
// Views have to be contiguous in their last dimension; an input may be the output itself, but may
// not overlap it otherwise. `f` takes and returns compute_t<T>; its result is rounded once.
#pragma once

#include <stdint.h>

#include "block.h"
#include "dtype.h"
#include "parallel.h"
#include "view.h"

// Before a loop whose iterations are independent, although an input may be the output.
#if defined(__clang__)
#define OPWRIGHT_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define OPWRIGHT_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace opwright {

// Elements that a thread takes at once, at least: some 10 µs of work.
constexpr int64_t kElementwiseGrain = 1 << 15;

namespace detail {

template <typename R, typename F, typename... Wide>
OPWRIGHT_INLINE void compute_block(R* results, int count, F& f, const Wide*... inputs) {
  OPWRIGHT_INDEPENDENT
  for (int i = 0; i < count; ++i) results[i] = narrow<R>(f(widen(inputs[i])...));
}

}  // namespace detail

// output[i] = f(inputs[i]...) on this thread. An input is a pointer, or `RandomBits`.
template <typename T, typename F, typename... Inputs>
inline void map_range(T* output, int64_t count, F&& f, Inputs... inputs) {
  for (int64_t at = 0; at < count;) {
    const int length = detail::block_length(count - at);
    detail::OutputBlock<T> block;
    detail::compute_block(block.place(output + at, length), detail::whole_vectors(length), f,
                          detail::InputBlock<Inputs>().read(inputs + at, length)...);
    block.finish(output + at, length);
    at += length;
  }
}

// output[i] = f(inputs[i]...) on all threads, for views of equal size.
template <typename T, typename F, typename... Inputs>
inline void map(View<T, 1> output, F&& f, View<const Inputs, 1>... inputs) {
  parallel_for(0, output.numel(), kElementwiseGrain, [&](int64_t begin, int64_t end) {
    map_range(output.data + begin, end - begin, f, (inputs.data + begin)...);
  });
}

// output(i, j) = f(input(i, j), row(j)) on all threads. Threads share the elements, not the rows,
// so that one long row keeps all of them busy.
template <typename T, typename F, typename Input, typename Row>
inline void map_rows(View<T, 2> output, F&& f, View<const Input, 2> input, View<const Row, 1> row) {
  const int64_t columns = output.size(1);
  parallel_for(0, output.numel(), kElementwiseGrain, [&](int64_t begin, int64_t end) {
    int64_t i = begin / columns;
    int64_t j = begin % columns;
    for (int64_t left = end - begin; left > 0; ++i, j = 0) {
      const int64_t count = columns - j < left ? columns - j : left;
      map_range(&output(i, j), count, f, &input(i, j), &row(j));
      left -= count;
    }
  });
}

}  // namespace opwright
