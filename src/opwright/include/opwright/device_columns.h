// Sums down the columns of a matrix, on chips with waves (warps) of 32 lanes and of 64.
//
// A block has kBlockColumns columns to itself and goes down all rows, kBlockRows at once: a row of
// the block's threads handles a row of the matrix.
#pragma once

#include "device_reduce.h"

namespace opwright {

constexpr int kBlockColumns = 32, kBlockRows = 8;

// Scratch memory of a block: `__shared__ opwright::ColumnSums<Compute> scratch;`
template <typename T>
using ColumnSums = T[kBlockRows][kBlockColumns];

inline dim3 block_of_columns() { return dim3(kBlockColumns, kBlockRows); }
inline unsigned blocks_for_columns(int64_t columns) {
  return static_cast<unsigned>((columns + kBlockColumns - 1) / kBlockColumns);
}

// The column of the matrix that this thread handles; the last block has some too many.
__device__ inline int64_t column_of_thread() {
  return static_cast<int64_t>(blockIdx.x) * kBlockColumns + threadIdx.x;
}

// The sum of `value` over the threads of the block in this thread's column, or in its row. Every
// thread of the block has to call it, and gets the result.
template <typename T>
__device__ inline T sum_of_column(T value, ColumnSums<T>& scratch) {
  scratch[threadIdx.y][threadIdx.x] = value;
  __syncthreads();
  value = 0;
  for (int row = 0; row < kBlockRows; ++row) value += scratch[row][threadIdx.x];
  __syncthreads();
  return value;
}
template <typename T>
__device__ inline T sum_of_row(T value) {
  for (int bits = kBlockColumns / 2; bits > 0; bits /= 2)
    value += detail::from_lane_xor(value, bits);
  return value;
}

}  // namespace opwright
