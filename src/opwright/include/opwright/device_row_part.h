// N elements of a row, in the registers of one of the threads that share it: of aligned rows in
// runs of 16 bytes, of others one by one, and the threads' side by side.
#pragma once

#include "device.h"
#include "device_vector.h"
#include "rank.h"

namespace opwright {

template <typename T, int N>
class RowPart {
 public:
  // The part of thread threadIdx.x of blockDim.x, of the row's elements at `from` and behind it.
  // `in_runs` says whether the row is aligned and a number of runs long.
  OPWRIGHT_DEVICE_INLINE void load(const T* row, int columns, int from, bool in_runs) {
    columns_ = columns;
    step_ = in_runs ? 1 : static_cast<int>(blockDim.x);
    first_ = from + static_cast<int>(threadIdx.x) * (in_runs ? kRun : 1);
    // What is behind the end is read at the beginning instead, which takes no branch.
    if (in_runs) {
#pragma unroll
      for (int i = 0; i < N; i += kRun)
        runs_[i / kRun] = opwright::load<kRun>(row + (has(i) ? index(i) : 0));
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) runs_[i / kRun].at[i % kRun] = row[has(i) ? index(i) : 0];
    }
  }

  // Where the element stands in the row, which may be behind its end.
  OPWRIGHT_DEVICE_INLINE int index(int i) const {
    return first_ + i / kRun * static_cast<int>(blockDim.x) * kRun + i % kRun * step_;
  }
  OPWRIGHT_DEVICE_INLINE bool has(int i) const { return index(i) < columns_; }
  OPWRIGHT_DEVICE_INLINE compute_t<T> number(int i) const {
    return runs_[i / kRun].number(i % kRun);
  }

  // The element's rank, and 0 behind the end.
  OPWRIGHT_DEVICE_INLINE rank_t<T> rank(int i) const {
    const auto rank = rank_of(runs_[i / kRun].at[i % kRun], static_cast<uint32_t>(index(i)));
    return has(i) ? rank : 0;
  }

 private:
  static constexpr int kRun = vector_length<T>();
  static_assert(N % kRun == 0, "a part has whole runs");

  Run<T, kRun> runs_[N / kRun] = {};
  int columns_ = 0, first_ = 0, step_ = 1;
};

}  // namespace opwright
