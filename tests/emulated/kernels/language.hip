// HIP's language, one feature a function. Each function returns how many values were wrong.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <vector>

template <typename T, typename F>
int wrong(const std::vector<T>& values, F expected) {
  int count = 0;
  for (size_t i = 0; i < values.size(); ++i) count += !(values[i] == expected(int(i)));
  return count;
}

template <typename scalar_t>
__global__ void twice_kernel(const scalar_t* x, scalar_t* y, int size) {
  int idx = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  int stride = hipBlockDim_x * hipGridDim_x;
  for (int i = idx; i < size; i += stride)
    y[i] = static_cast<scalar_t>(2 * static_cast<float>(x[i]));
}

extern "C" int grid_stride_loop() {
  std::vector<float> x(1000, 3), y(1000);
  std::vector<__half> hx(100, __half(3.0f)), hy(100);
  int blocks = min((1000 + 255) / 256, 2);
  hipLaunchKernelGGL(twice_kernel<float>, dim3(blocks), dim3(256), 0, 0, x.data(), y.data(), 1000);
  hipLaunchKernelGGL((twice_kernel<__half>), dim3(1), dim3(64), 0, nullptr, hx.data(), hy.data(),
                     100);
  return (hipGetLastError() != hipSuccess) + wrong(y, [](int) { return 6.0f; }) +
         wrong(hy, [](int) { return __half(6.0f); });
}

// Right on every wave size: partial sums by wave, then over waves.
template <int Threads, typename T>
__global__ void row_sum_kernel(const T* x, float* y, int columns) {
  __shared__ float partial[Threads / 32];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += float(x[blockIdx.x * columns + i]);
  for (int step = warpSize / 2; step > 0; step /= 2) sum += __shfl_down(sum, step);
  if (threadIdx.x % warpSize == 0) partial[threadIdx.x / warpSize] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int i = 0; i < Threads / warpSize; ++i) total += partial[i];
    y[blockIdx.x] = total;
  }
}

extern "C" int shuffles() {
  std::vector<__hip_bfloat16> x(10 * 300, __float2bfloat16(1.0f));
  std::vector<float> y(10);
  hipLaunchKernelGGL(HIP_KERNEL_NAME(row_sum_kernel<128, __hip_bfloat16>), 10, 128, 0, 0, x.data(),
                     y.data(), 300);
  return wrong(y, [](int) { return 300.0f; });
}

__global__ void votes_kernel(unsigned long long* y) {
  unsigned long long lanes = __ballot(threadIdx.x % 2);
  y[threadIdx.x] = __popcll(lanes) + 1000 * __any(threadIdx.x == 3) + 10000 * __all(1) +
                   100000 * (__ffsll(lanes) == 2);
}

extern "C" int votes() {
  std::vector<unsigned long long> y(warpSize);
  votes_kernel<<<1, warpSize>>>(y.data());
  return wrong(y, [](int) { return 111000ull + warpSize / 2; });
}

// Each lane has written before any lane of its wave reads, as in a wave that is in step.
__global__ void wave_barrier_kernel(int* y) {
  __shared__ int s[128];
  s[threadIdx.x] = int(threadIdx.x);
  asm volatile("" ::: "memory");
  __builtin_amdgcn_wave_barrier();
  const int next = s[(threadIdx.x & ~(warpSize - 1)) + ((threadIdx.x + 1) & (warpSize - 1))];
  __builtin_amdgcn_wave_barrier();
  if (threadIdx.x % 2) {  // those that arrive together
    s[threadIdx.x] = next;
    __builtin_amdgcn_wave_barrier();
    y[threadIdx.x] = s[threadIdx.x ^ 2];
  }
}

extern "C" int wave_barrier() {
  std::vector<int> y(128, -1);
  wave_barrier_kernel<<<1, 128>>>(y.data());
  return wrong(y, [](int i) {
    const int j = i ^ 2, size = int(warpSize);
    return i % 2 ? (j & ~(size - 1)) + ((j + 1) & (size - 1)) : -1;
  });
}

__global__ void vectors_kernel(const float4* x, float4* y) {
  float4 v = x[threadIdx.x] * 2.0f + make_float4(1, 2, 3, 4);
  v += x[threadIdx.x];
  y[threadIdx.x] = v;
}

extern "C" int vectors() {
  std::vector<float4> x(16, make_float4(1, 1, 1, 1)), y(16);
  vectors_kernel<<<1, 16>>>(x.data(), y.data());
  return wrong(y, [](int) { return make_float4(4, 5, 6, 7); });
}

__global__ void dynamic_kernel(int* y) {
  HIP_DYNAMIC_SHARED(int, tile)
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" int dynamic_shared_memory() {
  std::vector<int> y(64);
  hipStream_t stream;
  int bad = hipStreamCreate(&stream) != hipSuccess;
  dynamic_kernel<<<1, 64, 64 * sizeof(int), stream>>>(y.data());
  bad += hipGetLastError() != hipSuccess;
  dynamic_kernel<<<1, 64, 65537, stream>>>(y.data());
  bad += hipGetLastError() != hipErrorInvalidValue;
  return bad + wrong(y, [](int i) { return 63 - i; });
}

__global__ void nothing_kernel() {}

extern "C" int limits() {
  nothing_kernel<<<dim3(1 << 23), dim3(1024)>>>();  // 2^33 threads along x
  return hipGetLastError() != hipErrorInvalidConfiguration;
}
