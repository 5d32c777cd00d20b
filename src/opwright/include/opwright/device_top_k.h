// The k largest of each row, in the order of rank.h, and a sum over all of the row:
//
//   template <typename T>
//   struct Gates {
//     __device__ float term(float value, float largest) const { return exp(value - largest); }
//     __device__ void store(int64_t row, int64_t place, float value, int64_t column, float largest,
//                           float sum) const;  // of the row's terms
//   };
//   opwright::top_k_of_rows(stream, input, k, Gates<T>{...});
//
// k is no more than the columns, and `largest` is NaN where the row has one. There are three
// kernels. Where k is small, neighbouring lanes share a row, each keeps the largest of its own
// part, and they are merged by shuffles. Otherwise the row is sorted in registers, as far as it is
// wanted. Rows that are too long for that are searched for the next largest k times.
#pragma once

#include <stdint.h>

#include "device.h"
#include "device_reduce.h"
#include "device_row_part.h"
#include "device_sort.h"
#include "rank.h"

namespace opwright {

// Where few are asked for: the largest that a lane keeps, the elements that it has of a row, and
// lanes that share a row at most. Where rows are sorted: ranks of a thread, threads of a block, and
// of one that sorts the longest rows; blocks for which a multiprocessor of NVIDIA's is to have
// registers.
struct TopKParameters {
  int few = 8;
  int elements = 16;
  int lanes = 32;
  int ranks = 16;
  int threads = 128;
  int most_threads = 256;
#if defined(__HIP_PLATFORM_AMD__)
  int blocks_at_once = 1;  // means something else there
#else
  int blocks_at_once = 7;
#endif
};
constexpr TopKParameters kTopK;

namespace detail {

// The i-th, without an address, so that all stay in registers.
template <int N, typename T>
OPWRIGHT_DEVICE_INLINE T chosen(const T (&from)[N], int64_t i) {
  T found = from[0];
#pragma unroll
  for (int n = 1; n < N; ++n) found = i == n ? from[n] : found;
  return found;
}

template <typename T, typename Body>
OPWRIGHT_DEVICE_INLINE void store_ranked(const Body& body, int64_t row, int64_t place,
                                         rank_t<T> rank, float largest, float sum) {
  body.store(row, place, value_of<T>(rank), static_cast<int64_t>(index_of(rank)), largest, sum);
}

// Calls f(row, whether it is to be stored) for the rows of this thread. Threads without a row take
// the last once more: all of a block have to meet.
template <typename F>
OPWRIGHT_DEVICE_INLINE void for_rows_of_threads(int64_t rows, F f) {
  const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.y;
  for (int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y; first < rows; first += step) {
    const int64_t row = first + threadIdx.y;
    f(row < rows ? row : rows - 1, row < rows);
  }
}

template <typename T, typename Body>
__global__ void __launch_bounds__(kTopK.threads)
    few_largest_kernel(View<const T, 2> input, int k, bool in_runs, Body body) {
  OPWRIGHT_KERNEL_ENTRY(kTopK.threads)
  constexpr int N = kTopK.few, kElements = kTopK.elements;
  const int columns = static_cast<int>(input.size(1)), lanes = static_cast<int>(blockDim.x);
  for_rows_of_threads(input.size(0), [&](int64_t row, bool is_stored) {
    const T* const x = input.data + row * columns;
    RowPart<T, kElements> part;
    rank_t<T> kept[N] = {};
    for (int from = 0; from < columns; from += lanes * kElements) {
      part.load(x, columns, from, in_runs);
#pragma unroll
      for (int first = 0; first < kElements; first += N) {
        rank_t<T> ranks[N];
        for (int i = 0; i < N; ++i) ranks[i] = part.rank(first + i);
        sort_in_thread(ranks);
        if (from + first > 0) {
          keep_larger(kept, ranks);
        } else {
          for (int i = 0; i < N; ++i) kept[i] = ranks[i];
        }
      }
    }
    keep_larger_of_lanes(kept, lanes);
    const float largest = value_of<T>(kept[0]);
    float sum = 0;
    for (int from = 0; from < columns; from += lanes * kElements) {
      if (columns > lanes * kElements) part.load(x, columns, from, in_runs);  // else it has been
#pragma unroll
      for (int i = 0; i < kElements; ++i) {
        const float term = body.term(part.number(i), largest);
        sum += part.has(i) ? term : 0.0f;
      }
    }
    sum = lanes_reduce(sum, lanes, [](float a, float b) { return a + b; });
    for (int j = static_cast<int>(threadIdx.x); j < k && is_stored; j += lanes)
      store_ranked<T>(body, row, j, chosen(kept, j), largest, sum);
  });
}

template <int Threads, typename T, typename Body>
__global__ void __launch_bounds__(Threads, Threads == kTopK.threads ? kTopK.blocks_at_once : 1)
    sorted_rows_kernel(View<const T, 2> input, int k, bool in_runs, Body body) {
  OPWRIGHT_KERNEL_ENTRY(Threads)
  constexpr int N = kTopK.ranks;
  using Sums = float[kMostWaves];
  using Scratch = rank_t<T>[Threads * (N + 1)];  // one more, so that threads meet different banks
  OPWRIGHT_SHARED(Sums, sums);
  OPWRIGHT_SHARED(Scratch, scratch);
  const int columns = static_cast<int>(input.size(1)), thread = static_cast<int>(threadIdx.x);
  rank_t<T>* const sorted = scratch + threadIdx.y * blockDim.x * (N + 1);
  for_rows_of_threads(input.size(0), [&](int64_t row, bool is_stored) {
    rank_t<T> own[N];
    RowPart<T, N> part;
    part.load(input.data + row * columns, columns, 0, in_runs);
    for (int i = 0; i < N; ++i) own[i] = part.rank(i);
    sort_largest(own, k, sorted);
    if (thread * N < k) {
      for (int i = 0; i < N; ++i) sorted[thread * (N + 1) + i] = own[i];
    }
    __syncthreads();
    const float largest = value_of<T>(sorted[0]);
    float sum = 0;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      const float term = body.term(value_of<T>(own[i]), largest);
      sum += own[i] != 0 ? term : 0.0f;
    }
    sum = row_sum(sum, sums);
    for (int j = thread; j < k && is_stored; j += static_cast<int>(blockDim.x))
      store_ranked<T>(body, row, j, sorted[j / N * (N + 1) + j % N], largest, sum);
    __syncthreads();
  });
}

// The next largest is the first in the order of all that come after the one before.
template <typename T, typename Body>
__global__ void searched_rows_kernel(View<const T, 2> input, int64_t k, Body body) {
  OPWRIGHT_KERNEL_ENTRY()
  using Sums = float[kMostWaves];
  using Ranks = unsigned long long[kMostWaves];
  OPWRIGHT_SHARED(Sums, sums);
  OPWRIGHT_SHARED(Ranks, ranks);
  const int64_t columns = input.size(1);
  for (int64_t row = blockIdx.x; row < input.size(0); row += gridDim.x) {
    const T* const x = input.data + row * columns;
    float largest = 0, sum = 0;
    unsigned long long before = ~0ull;
    for (int64_t j = 0; j < k; ++j) {
      unsigned long long next = 0;
      for (int64_t i = threadIdx.x; i < columns; i += blockDim.x) {
        const auto rank = rank_of(widen(x[i]), static_cast<uint32_t>(i));
        if (rank < before && rank > next) next = rank;
      }
      next = block_max(next, ranks);
      if (j == 0) {
        largest = value_of<float>(next);
        for (int64_t i = threadIdx.x; i < columns; i += blockDim.x)
          sum += body.term(widen(x[i]), largest);
        sum = block_sum(sum, sums);
      }
      if (threadIdx.x == 0) store_ranked<float>(body, row, j, next, largest, sum);
      before = next;
    }
  }
}

// The least power of two whose product with `each` reaches `count`, but no more than `most`.
inline int threads_for(int64_t count, int each, int most) {
  int threads = 1;
  while (threads < most && static_cast<int64_t>(threads) * each < count) threads *= 2;
  return threads;
}

}  // namespace detail

template <typename T, typename Body>
void top_k_of_rows(Stream stream, View<const T, 2> input, int64_t k, Body body) {
  const int64_t rows = input.size(0), columns = input.size(1);
  if (rows == 0 || k == 0) return;
  const bool in_runs = columns % vector_length<T>() == 0 && is_aligned(input.data, kVectorBytes);
  const auto launch_shared = [&](auto kernel, int across, int threads) {
    const dim3 block(static_cast<unsigned>(across), static_cast<unsigned>(threads / across));
    launch(kernel, blocks_for(rows, static_cast<int>(block.y), 1 << 20), block, stream, input,
           static_cast<int>(k), in_runs, body);
  };
  if (columns > kTopK.ranks * kTopK.most_threads) {
    launch(detail::searched_rows_kernel<T, Body>, blocks_for(rows, 1), 256, stream, input, k, body);
  } else if (k <= kTopK.few) {
    launch_shared(detail::few_largest_kernel<T, Body>,
                  detail::threads_for(columns, kTopK.elements, kTopK.lanes), kTopK.threads);
  } else if (columns <= kTopK.ranks * kTopK.threads) {
    launch_shared(detail::sorted_rows_kernel<kTopK.threads, T, Body>,
                  detail::threads_for(columns, kTopK.ranks, kTopK.threads), kTopK.threads);
  } else {
    launch_shared(detail::sorted_rows_kernel<kTopK.most_threads, T, Body>, kTopK.most_threads,
                  kTopK.most_threads);
  }
}

}  // namespace opwright
