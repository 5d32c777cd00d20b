// Sums and maxima over the threads of a block, or of each row of its threads, on chips with waves
// (warps) of 32 lanes and of 64.
//
//   __shared__ opwright::compute_t<T> scratch[opwright::kMostWaves];
//   const auto total = opwright::block_sum(value, scratch);
//
// Every thread of the block has to call it, and gets its row's result. Rows of threads are a whole
// number of waves long. Scratch memory may be used again at once.
#pragma once

#include "device.h"
#include "two.h"

namespace opwright {

// A block has 1024 threads at most.
constexpr int kMostWaves = 32;

// Threads that are whole waves on the target, whose chip may not be known yet.
#if defined(OPWRIGHT_EMULATED)
constexpr int kWholeWave = OPWRIGHT_WAVE_SIZE;
#elif defined(__HIPCC__)
constexpr int kWholeWave = 64;
#else
constexpr int kWholeWave = 32;
#endif

// Threads for a row of so many elements: whole waves of either size, and none without an element
// but in the last wave.
inline int threads_for_row(int64_t columns, int most = 256) {
  const int64_t whole = (columns + 63) / 64 * 64;
  return static_cast<int>(whole < most ? whole : most);
}

namespace detail {

// Lanes of a wave, a constant wherever a compiler knows it: nvcc takes warpSize for a variable.
OPWRIGHT_DEVICE_INLINE int wave_size() {
#if OPWRIGHT_CUDA_ARCH
  return 32;
#else
  return warpSize;
#endif
}

template <typename T>
__device__ inline T from_lane_xor(T value, int bits) {
#if defined(__HIPCC__)
  return __shfl_xor(value,
                    bits);  // the mask of HIP's _sync functions has 64 bits, where it has them
#else
  return __shfl_xor_sync(0xffffffffu, value, bits);
#endif
}

template <typename T>
__device__ inline Two<T> from_lane_xor(Two<T> value, int bits) {
  return {from_lane_xor(value.first, bits), from_lane_xor(value.second, bits)};
}

template <typename T>
__device__ inline T from_lane(T value, int lane) {
#if defined(__HIPCC__)
  return __shfl(value, lane);
#else
  return __shfl_sync(0xffffffffu, value, lane);
#endif
}
template <typename T>
__device__ inline Two<T> from_lane(Two<T> value, int lane) {
  return {from_lane(value.first, lane), from_lane(value.second, lane)};
}

// Waits for the threads of one's own row, or for all. A block has barriers by number on NVIDIA's
// chips, of which __syncthreads has 0. Each number is a constant: for one that is not the compiler
// reserves all 16, and of such blocks a multiprocessor takes four.
template <int Row>
__device__ inline void barrier_of_row() {
#if OPWRIGHT_CUDA_ARCH
  asm volatile("bar.sync %0, %1;" ::"n"(Row + 1), "r"(blockDim.x) : "memory");
#endif
}
__device__ inline void row_barrier() {
  if (OPWRIGHT_CUDA_ARCH == 0 || blockDim.y == 1 || blockDim.y > 4) return __syncthreads();
  if (threadIdx.y == 0) return barrier_of_row<0>();
  if (threadIdx.y == 1) return barrier_of_row<1>();
  if (threadIdx.y == 2) return barrier_of_row<2>();
  barrier_of_row<3>();
}

}  // namespace detail

// Over `lanes` neighbouring lanes of a wave, a power of two.
template <typename T, typename Combine>
__device__ inline T lanes_reduce(T value, int lanes, Combine combine) {
#pragma unroll
  for (int bits = lanes / 2; bits > 0; bits /= 2)
    value = combine(value, detail::from_lane_xor(value, bits));
  return value;
}

namespace detail {

// Of so many values in shared memory, by each wave for itself: all threads read few of them, one
// address at a time for the whole wave; of many each lane reads one, and they go on in lanes.
template <typename T, typename Combine>
__device__ inline T reduce_few(const T* values, int count, Combine combine) {
  constexpr int kFew = 8;
  if (count > kFew) {
    const int lane = static_cast<int>(threadIdx.x) % wave_size();
    T value = values[lane < count ? lane : 0];
#pragma unroll
    for (int step = kMostWaves / 2; step > 0; step /= 2) {
      const T other = from_lane(value, lane + step);
      if (lane + step < count) value = combine(value, other);
    }
    return from_lane(value, 0);
  }
  T value = values[0];
#pragma unroll
  for (int i = 1; i < kFew; ++i)
    if (i < count) value = combine(value, values[i]);
  return value;
}

// As block_reduce, but somebody may still read the scratch memory.
template <typename T, typename Combine>
__device__ inline T reduce_once(T value, T* scratch, Combine combine) {
  value = lanes_reduce(value, wave_size(), combine);
  const int waves = static_cast<int>(blockDim.x) / wave_size();
  if (waves == 1) return value;
  scratch += threadIdx.y * waves;
  const int thread = static_cast<int>(threadIdx.x);
  if (thread % wave_size() == 0) scratch[thread / wave_size()] = value;
  row_barrier();
  return reduce_few(scratch, waves, combine);
}

}  // namespace detail

template <typename T, typename Combine>
__device__ inline T block_reduce(T value, T* scratch, Combine combine) {
  value = detail::reduce_once(value, scratch, combine);
  if (static_cast<int>(blockDim.x) > detail::wave_size()) detail::row_barrier();
  return value;
}

template <typename T>
__device__ inline T block_sum(T value, T* scratch) {
  return block_reduce(value, scratch, [](T a, T b) { return a + b; });
}

// Of rows that may also be shorter than a wave: a power of two of threads.
template <typename T>
__device__ inline T row_sum(T value, T* scratch) {
  const int threads = static_cast<int>(blockDim.x);
  if (threads >= detail::wave_size()) return block_sum(value, scratch);
  return lanes_reduce(value, threads, [](T a, T b) { return a + b; });
}

// NaN may get lost.
template <typename T>
__device__ inline T block_max(T value, T* scratch) {
  return block_reduce(value, scratch, [](T a, T b) { return a < b ? b : a; });
}

}  // namespace opwright
