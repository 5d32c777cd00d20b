// A thread's part of a row: where its elements stand, and what it has of them.
#pragma once

#include <stdint.h>

#include "device_vector.h"

namespace opwright {

namespace detail {

// Threads side by side take runs side by side, in groups of so many, and what one of them takes
// next lies behind its group's: places differ by constants then, which cost no instructions.
constexpr int kGroup = 32;

// Where run `k` of a thread's `Runs` stands in the row.
template <int Runs>
OPWRIGHT_DEVICE_INLINE int place_of_run(int thread, int k) {
  return thread / kGroup * (kGroup * Runs) + thread % kGroup + k * kGroup;
}

// A thread's run number k, which begins at column `at`.
struct RunOfRow {
  int k;
  int64_t at;
};

// What stands there: of a tensor in registers, or still in memory.
template <typename T, int N, int Runs>
struct RowValues {
  Run<T, N> run[Runs];

  OPWRIGHT_DEVICE_INLINE Run<T, N> get(RunOfRow place) const { return run[place.k]; }
};
template <typename T, int N>
struct RowInMemory {
  const T* row;

  OPWRIGHT_DEVICE_INLINE Run<T, N> get(RunOfRow place) const { return load<N>(row + place.at); }
};

// Numbers that follow from such parts: kept, or computed anew wherever they are used.
template <typename F, int N>
struct Numbers {
  F at[N];

  OPWRIGHT_DEVICE_INLINE F number(int i) const { return at[i]; }
};
template <typename Compute, int N, int Runs>
struct RowNumbers {
  Numbers<Compute, N> run[Runs];

  OPWRIGHT_DEVICE_INLINE Numbers<Compute, N> get(RunOfRow place) const { return run[place.k]; }
};
template <typename Compute, int N, typename F, typename Values>
struct RowMapped {
  F f;
  Values values;

  OPWRIGHT_DEVICE_INLINE Numbers<Compute, N> get(RunOfRow place) const {
    const auto run = values.get(place);
    Numbers<Compute, N> numbers;
#pragma unroll
    for (int i = 0; i < N; ++i) numbers.at[i] = f(run.number(i));
    return numbers;
  }
};

}  // namespace detail

}  // namespace opwright
