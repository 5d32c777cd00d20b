// Sorts unsigned integers, the largest first, N in the registers of each of a row's threads: within
// a thread, among the lanes of a wave by shuffles, and among waves through shared memory.
//
//   uint32_t own[N];  // of blockDim.x threads: a power of two
//   opwright::sort_largest(own, wanted, scratch);
//
// Then thread 0 has the first N, thread 1 those that follow, and so on, up to the `wanted` largest;
// the others are all still there, in any order.
//
// All is done by merging sorted runs, two by two. The second run is taken backwards, so that each
// of its numbers meets one of the first, and the larger of the two goes to the first run. What
// this leaves in either is sorted by comparing over half the distance, again and again.
#pragma once

#include "device.h"
#include "device_reduce.h"

namespace opwright {

namespace detail {

template <typename T>
OPWRIGHT_DEVICE_INLINE void put_larger_first(T& a, T& b) {
  const T larger = a < b ? b : a;
  if constexpr (sizeof(T) > sizeof(uint32_t)) {
    b ^= a ^ larger;  // for a minimum beside the maximum, compilers would compare both halves again
  } else {
    b = a < b ? a : b;
  }
  a = larger;
}

// The last steps of each merge, which stay within the thread.
template <int N, typename T>
OPWRIGHT_DEVICE_INLINE void finish_merge(T (&own)[N]) {
#pragma unroll
  for (int distance = N / 2; distance > 0; distance /= 2) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if ((i & distance) == 0) put_larger_first(own[i], own[i + distance]);
  }
}

// Each number of the thread meets one of the thread whose number differs by the bits of `mask`.
template <bool Backwards, int N, typename T>
OPWRIGHT_DEVICE_INLINE void meet(T (&own)[N], int mask, bool takes_part, bool keeps_larger,
                                 T* scratch) {
  const auto keep = [keeps_larger](T& mine, T other) {
    mine = (mine < other) == keeps_larger ? other : mine;
  };
  if (mask < wave_size()) {
#pragma unroll
    for (int i = 0; i < N / 2; ++i) {
      T &a = own[i], &b = own[N - 1 - i];
      const T other_a = from_lane_xor(a, mask), other_b = from_lane_xor(b, mask);
      keep(a, Backwards ? other_b : other_a);
      keep(b, Backwards ? other_a : other_b);
    }
  } else {
    const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
    if (takes_part) {
#pragma unroll
      for (int i = 0; i < N; ++i) scratch[i * threads + thread] = own[i];
    }
    __syncthreads();
    if (takes_part) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        keep(own[i], scratch[(Backwards ? N - 1 - i : i) * threads + (thread ^ mask)]);
    }
    __syncthreads();
  }
}

}  // namespace detail

// The N numbers of a thread by themselves.
template <int N, typename T>
OPWRIGHT_DEVICE_INLINE void sort_in_thread(T (&own)[N]) {
#pragma unroll
  for (int run = 1; run < N; run *= 2) {
#pragma unroll
    for (int i = 0; i < N; ++i)
      if ((i & run) == 0) detail::put_larger_first(own[i], own[i ^ (2 * run - 1)]);
#pragma unroll
    for (int distance = run / 2; distance > 0; distance /= 2) {
#pragma unroll
      for (int i = 0; i < N; ++i)
        if ((i & distance) == 0) detail::put_larger_first(own[i], own[i + distance]);
    }
  }
}

// As above. All threads of a block have to call it; scratch has N * blockDim.x numbers for each
// row, which are used where a row has more threads than a wave.
template <int N, typename T>
__device__ inline void sort_largest(T (&own)[N], int wanted, T* scratch) {
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const int first_of_wave = thread & -detail::wave_size();
  int wanted_threads = 1;
  while (wanted_threads * N < wanted) wanted_threads *= 2;
  sort_in_thread(own);
#pragma unroll 1
  for (int run = 1; run < threads; run *= 2) {
    // Of either run no more than this can be wanted. Waves that have nothing of it leave out what
    // costs most: not the shuffles, since compilers prepare for the worst where some lanes might
    // be missing.
    const int reach = run < wanted_threads ? run : wanted_threads;
    bool takes_part = (first_of_wave & (run - 1)) < wanted_threads;
    detail::meet<true>(own, run + reach - 1, takes_part, (thread & run) == 0, scratch);
    takes_part = (first_of_wave & (2 * run - 1)) < wanted_threads;
#pragma unroll 1
    for (int distance = reach / 2; distance > 0; distance /= 2)
      detail::meet<false>(own, distance, takes_part, (thread & distance) == 0, scratch);
    if (takes_part) detail::finish_merge(own);
  }
}

// Of two sorted runs the N largest, sorted.
template <int N, typename T>
OPWRIGHT_DEVICE_INLINE void keep_larger(T (&kept)[N], const T (&others)[N]) {
#pragma unroll
  for (int i = 0; i < N; ++i) kept[i] = kept[i] < others[N - 1 - i] ? others[N - 1 - i] : kept[i];
  detail::finish_merge(kept);
}

// Gives to each of `lanes` neighbours, a power of two, the N largest of all that they have sorted.
template <int N, typename T>
__device__ inline void keep_larger_of_lanes(T (&kept)[N], int lanes) {
#pragma unroll 1
  for (int bits = 1; bits < lanes; bits *= 2) {
    T others[N];
#pragma unroll
    for (int i = 0; i < N; ++i) others[i] = detail::from_lane_xor(kept[i], bits);
    keep_larger(kept, others);
  }
}

}  // namespace opwright
