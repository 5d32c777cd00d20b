// Loops over rows, each of which one thread handles, and sums along rows and columns.
#pragma once

#include <stdint.h>

#include "elementwise.h"
#include "parallel.h"

namespace opwright {

// Calls `f(row)` for each of `rows` rows of `columns` elements, on all threads.
template <typename F>
inline void for_each_row(int64_t rows, int64_t columns, F&& f) {
  const int64_t grain = kElementwiseGrain / (columns < kElementwiseGrain ? columns + 1 : columns);
  parallel_for(0, rows, grain > 0 ? grain : 1, [&f](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) f(row);
  });
}

namespace detail {

// So many that compilers keep the loop over them as one, and make vector code of it.
constexpr int kRunning = 64;

// term(begin), ..., term(end - 1) combined in as many running results as a loop wants, which are
// combined last: compilers may not change the order of a sum by themselves.
template <typename Result, typename Term, typename Combine>
inline Result fold_block(int64_t begin, int64_t end, Result neutral, Term&& term,
                         Combine&& combine) {
  Result running[kRunning];
  for (Result& one : running) one = neutral;
  int64_t at = begin;
  for (; at + kRunning <= end; at += kRunning) {
    OPWRIGHT_INDEPENDENT
    for (int i = 0; i < kRunning; ++i) running[i] = combine(running[i], term(at + i));
  }
  const int left = static_cast<int>(end - at);
  for (int i = 0; i < left; ++i) running[i] = combine(running[i], term(at + i));
  for (int half = kRunning / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) running[i] = combine(running[i], running[i + half]);
  return running[0];
}

}  // namespace detail

// term(0), ..., term(count - 1) combined, block by block: rounding errors grow with the number of
// blocks, not of terms.
template <typename Result, typename Term, typename Combine>
inline Result fold(int64_t count, Result neutral, Term&& term, Combine&& combine) {
  Result result = neutral;
  for (int64_t begin = 0; begin < count; begin += detail::kBlock) {
    const int64_t end = begin + detail::kBlock < count ? begin + detail::kBlock : count;
    result = combine(result, detail::fold_block(begin, end, neutral, term, combine));
  }
  return result;
}

// The sum of term(0), ..., term(count - 1), and the largest of them: -infinity for none.
template <typename Term>
inline auto sum_of(int64_t count, Term&& term) {
  using Result = decltype(term(count));
  return fold(count, Result(0), term, [](Result a, Result b) { return a + b; });
}
template <typename Term>
inline auto largest_of(int64_t count, Term&& term) {
  using Result = decltype(term(count));
  return fold(count, Result(-__builtin_inf()), term,
              [](Result a, Result b) { return a < b ? b : a; });
}

// Columns whose sums a thread keeps at once.
constexpr int64_t kColumnsAtOnce = 64;

// output(j) = term(0, j) + ... + term(rows - 1, j), on all threads. A thread has some columns to
// itself, goes down all rows, and adds in double: the sums may be long.
template <typename T, typename Term>
inline void sum_columns(View<T, 1> output, int64_t rows, Term&& term) {
  const int64_t columns = output.size(0);
  const int64_t strips = (columns + kColumnsAtOnce - 1) / kColumnsAtOnce;
  const int64_t grain = 1 + kElementwiseGrain / (kColumnsAtOnce * (rows + 1));
  parallel_for(0, strips, grain, [&](int64_t begin, int64_t end) {
    for (int64_t strip = begin; strip < end; ++strip) {
      const int64_t first = strip * kColumnsAtOnce;
      const int64_t count = columns - first < kColumnsAtOnce ? columns - first : kColumnsAtOnce;
      double sums[kColumnsAtOnce] = {};
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < count; ++j) sums[j] += term(i, first + j);
      for (int64_t j = 0; j < count; ++j)
        output(first + j) = narrow<T>(static_cast<compute_t<T>>(sums[j]));
    }
  });
}

}  // namespace opwright
