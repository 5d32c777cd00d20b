// Sums down columns that several blocks share: of the rows, each takes a share, and the sums of the
// shares meet in one order, so that results are the same from call to call.
//
// No memory is needed for that. A block that is not alone keeps the first rows of its share of the
// output back, and puts its sums where those belong. The kernels that follow add all sums of a
// column, and then write the rows that were kept back.
#pragma once

#include <stdint.h>

#include "device.h"
#include "device_parameters.h"
#include "dtype.h"
#include "two.h"

namespace opwright {

namespace detail {

// How many elements of T hold a sum.
template <typename T>
constexpr int kPieces = static_cast<int>(sizeof(compute_t<T>) / sizeof(T));

// Rows in nearly equal shares.
struct Shares {
  int64_t rows;
  int64_t count;

  OPWRIGHT_INLINE int64_t begin(int64_t share) const {
    const int64_t each = rows / count, over = rows % count;
    return share * each + (share < over ? share : over);
  }
};

// As many as are wanted, but none of fewer than `least` rows.
inline Shares shares_of(int64_t rows, int64_t wanted, int64_t least) {
  const int64_t most = rows / least;
  return {rows, most < 1 || wanted < 1 ? 1 : wanted < most ? wanted : most};
}

// A sum, in pieces down a column.
template <typename T>
OPWRIGHT_DEVICE_INLINE void put_sum(T* column, int64_t stride, compute_t<T> sum) {
  T pieces[kPieces<T>];
  __builtin_memcpy(pieces, &sum, sizeof(sum));
  for (int i = 0; i < kPieces<T>; ++i) column[i * stride] = pieces[i];
}
template <typename T>
OPWRIGHT_DEVICE_INLINE compute_t<T> take_sum(const T* column, int64_t stride) {
  T pieces[kPieces<T>];
  for (int i = 0; i < kPieces<T>; ++i) pieces[i] = column[i * stride];
  compute_t<T> sum;
  __builtin_memcpy(&sum, pieces, sizeof(sum));
  return sum;
}

// A block that adds has the columns of one line of memory to itself, and goes down all shares, so
// many at once.
template <typename T>
constexpr int kLineColumns = static_cast<int>(128 / sizeof(T));
template <typename T>
constexpr int kSharesAtOnce = kColumns.adding_threads / kLineColumns<T>;
template <typename T>
using LineSums = compute_t<T>[kSharesAtOnce<T>][kLineColumns<T>];

template <typename T>
unsigned lines_of(int64_t columns) {
  return static_cast<unsigned>((columns + kLineColumns<T> - 1) / kLineColumns<T>);
}

// Adds the sums that begin `below` rows under the first of each share. Ends with a barrier: nobody
// needs them any more.
template <typename T>
OPWRIGHT_DEVICE_INLINE void add_shares(Shares shares, int64_t columns, const T* output, int below,
                                       T* sums, LineSums<T>& scratch) {
  constexpr int kWidth = kLineColumns<T>;
  const int x = static_cast<int>(threadIdx.x) % kWidth, y = static_cast<int>(threadIdx.x) / kWidth;
  const int64_t column = static_cast<int64_t>(blockIdx.x) * kWidth + x;
  compute_t<T> sum = 0;
  if (column < columns) {
#pragma unroll 4
    for (int64_t share = y; share < shares.count; share += kSharesAtOnce<T>)
      sum += take_sum(output + (shares.begin(share) + below) * columns + column, columns);
  }
  scratch[y][x] = sum;
  __syncthreads();
  if (y == 0 && column < columns) {
    sum = 0;
    for (int i = 0; i < kSharesAtOnce<T>; ++i) sum += scratch[i][x];
    sums[column] = narrow<T>(sum);
  }
  __syncthreads();
}

// The same by kernels of their own, for one sum of each share or two.
template <int Count, typename T>
__global__ void __launch_bounds__(kColumns.adding_threads)
    add_shares_kernel(Shares shares, int64_t columns, const T* output, Two<T*> sums) {
  OPWRIGHT_KERNEL_ENTRY(kColumns.adding_threads)
  OPWRIGHT_SHARED(LineSums<T>, scratch);
  add_shares(shares, columns, output, 0, sums.first, scratch);
  if (Count > 1) add_shares(shares, columns, output, kPieces<T>, sums.second, scratch);
}

}  // namespace detail

}  // namespace opwright
