#include <opwright/device_sort.h>

// Rows of `blockDim.x` threads, N numbers each, in the order of the threads.
template <int N, typename T>
__global__ void sort_kernel(T* numbers, int wanted) {
  __shared__ T scratch[256 * N];
  T* const row = numbers + threadIdx.y * blockDim.x * N;
  T own[N];
  for (int i = 0; i < N; ++i) own[i] = row[threadIdx.x * N + i];
  opwright::sort_largest(own, wanted, scratch + threadIdx.y * blockDim.x * N);
  for (int i = 0; i < N; ++i) row[threadIdx.x * N + i] = own[i];
}

// Each lane has the N largest of all that have the same threadIdx.y.
template <int N, typename T>
__global__ void lanes_kernel(T* numbers) {
  T own[N];
  T* const mine = numbers + (threadIdx.y * blockDim.x + threadIdx.x) * N;
  for (int i = 0; i < N; ++i) own[i] = mine[i];
  opwright::sort_in_thread(own);
  opwright::keep_larger_of_lanes(own, static_cast<int>(blockDim.x));
  for (int i = 0; i < N; ++i) mine[i] = own[i];
}

template <int N, typename T>
void sort(T* numbers, int64_t rows, int64_t threads, int64_t wanted) {
  opwright::launch(sort_kernel<N, T>, 1, dim3(threads, rows), nullptr, numbers,
                   static_cast<int>(wanted));
}

#define EXPORT(name, T)                                                                       \
  extern "C" void name##_sort_4(T* numbers, int64_t rows, int64_t threads, int64_t wanted) {  \
    sort<4>(numbers, rows, threads, wanted);                                                  \
  }                                                                                           \
  extern "C" void name##_sort_16(T* numbers, int64_t rows, int64_t threads, int64_t wanted) { \
    sort<16>(numbers, rows, threads, wanted);                                                 \
  }                                                                                           \
  extern "C" void name##_lanes(T* numbers, int64_t rows, int64_t threads) {                   \
    opwright::launch(lanes_kernel<4, T>, 1, dim3(threads, rows), nullptr, numbers);           \
  }
EXPORT(int32, uint32_t)
EXPORT(int64, unsigned long long)
