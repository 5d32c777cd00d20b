// CUDA's language, one feature a function. Each function returns how many values were wrong.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>
#include <vector>

namespace cg = cooperative_groups;

template <typename T, typename F>
int wrong(const std::vector<T>& values, F expected) {
  int count = 0;
  for (size_t i = 0; i < values.size(); ++i) count += !(values[i] == expected(int(i)));
  return count;
}

__global__ void indices_kernel(int* seen, int* order) {
  int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  atomicAdd(&seen[block * blockDim.x * blockDim.y * blockDim.z + thread], 1);
  if (thread == 0) order[block] = block;
}

extern "C" int three_dimensions() {
  std::vector<int> seen(2 * 3 * 4 * 5 * 6 * 7), order(24);
  dim3 grid(2, 3, 4), block(5, 6, 7);
  indices_kernel<<<grid, block>>>(seen.data(), order.data());
  return wrong(seen, [](int) { return 1; }) + wrong(order, [](int i) { return i; });
}

template <int Threads, typename T>
__global__ void __launch_bounds__(Threads) block_sum(const T* __restrict__ x, T* __restrict__ y) {
  __shared__ T sums[Threads], unused[1];
  sums[threadIdx.x] = x[blockIdx.x * Threads + threadIdx.x];
  __syncthreads();
  for (int step = Threads / 2; step; step /= 2) {
    if (threadIdx.x < step) sums[threadIdx.x] += sums[threadIdx.x + step];
    __syncthreads();
  }
  if (!threadIdx.x) y[blockIdx.x] = sums[0];
}

extern "C" int static_shared_memory() {
  std::vector<float> x(64 * 128, 1), y(64);
  std::vector<double> dx(8 * 256, 2), dy(8);
  block_sum<128><<<64, 128>>>(x.data(), y.data());
  block_sum<256, double><<<8, 256>>>(dx.data(), dy.data());
  return wrong(y, [](int) { return 128.0f; }) + wrong(dy, [](int) { return 512.0; });
}

template <typename T>
__global__ void reversed(const T* x, T* y) {
  extern __shared__ __align__(16) unsigned char bytes[];
  T* tile = reinterpret_cast<T*>(bytes);
  tile[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" int dynamic_shared_memory() {
  std::vector<double> x(100), y(100);
  for (int i = 0; i < 100; ++i) x[i] = i;
  reversed<<<1, 100, 100 * sizeof(double)>>>(x.data(), y.data());
  return wrong(y, [](int i) { return 99.0 - i; });
}

__global__ void large_shared(float* y) {
  extern __shared__ float tile[];
  tile[20000 + threadIdx.x] = threadIdx.x;
  __syncthreads();
  y[threadIdx.x] = tile[20000 + threadIdx.x];
}

extern "C" int shared_memory_beyond_48_kib() {
  std::vector<float> y(32);
  large_shared<<<1, 32, 96 << 10>>>(y.data());
  const int refused = cudaGetLastError() == cudaErrorInvalidValue ? 0 : 1;
  cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 96 << 10);
  large_shared<<<1, 32, 96 << 10>>>(y.data());
  return refused + (cudaGetLastError() != cudaSuccess) + wrong(y, [](int i) { return float(i); });
}

__device__ __forceinline__ float warp_sum(float v) {
  for (int step = warpSize / 2; step > 0; step /= 2)
    v += __shfl_down_sync(0xffffffffffffffff, v, step);
  return v;
}

__global__ void wave_kernel(float* sums, int* others) {
  float sum = warp_sum(threadIdx.x);
  if (threadIdx.x % warpSize == 0) sums[threadIdx.x / warpSize] = sum;
  const unsigned long long all = 0xffffffffffffffff;
  int lane = threadIdx.x % warpSize;
  int bad = __shfl_xor_sync(all, lane, 1) != (lane ^ 1);
  bad += __shfl_sync(all, lane, 5, 8) != lane / 8 * 8 + 5;
  bad += __shfl_up_sync(all, lane, 2) != (lane < 2 ? lane : lane - 2);
  bad += __shfl_down_sync(all, lane, 3, 16) != (lane % 16 + 3 < 16 ? lane + 3 : lane);
  bad += !__any_sync(all, lane == 7) + __all_sync(all, lane == 7);
  bad += __popcll(__ballot_sync(all, lane % 2)) != warpSize / 2;
  bad += __popcll(__match_any_sync(all, lane / 4)) != 4;
  bad += __reduce_max_sync(all, lane - 1000) != warpSize - 1001;
  bad += int(__popcll(__activemask())) != warpSize;
  others[threadIdx.x] = bad;
}

extern "C" int waves() {
  std::vector<float> sums(256 / warpSize);
  std::vector<int> others(256, -1);
  wave_kernel<<<1, 256>>>(sums.data(), others.data());
  const float w = warpSize;
  return wrong(sums, [w](int i) { return w * (w - 1) / 2 + w * w * i; }) +
         wrong(others, [](int) { return 0; });
}

// Votes in a branch that only some lanes take, and lanes that exit before others shuffle.
__global__ void divergent_kernel(int* y) {
  int lane = threadIdx.x % warpSize;
  if (lane < 8) {
    y[threadIdx.x] = __popcll(__activemask());
  } else {
    y[threadIdx.x] = __popcll(__activemask()) + 100;
  }
  if (lane >= 16) return;
  y[threadIdx.x] += 1000 * __shfl_sync(0xffff, lane, 15);
}

extern "C" int divergence() {
  std::vector<int> y(warpSize);
  divergent_kernel<<<1, warpSize>>>(y.data());
  return wrong(y, [](int i) { return (i < 8 ? 8 : 100 + warpSize - 8) + (i < 16 ? 15000 : 0); });
}

__global__ void atomics_kernel(int* i, float* f, double* d, unsigned* u, __half* h,
                               unsigned long long* l) {
  atomicAdd(i, 1);
  atomicAdd(f, 0.5f);
  atomicAdd(d, 0.25);
  atomicMax(i + 1, int(threadIdx.x + blockIdx.x));
  atomicMin(i + 2, -int(threadIdx.x));
  atomicInc(u, 9);
  atomicOr(u + 1, 1u << (threadIdx.x % 32));
  atomicAdd(h, __half(0.5f));
  atomicAdd(l, 1ull);
  int old = i[3], seen;
  do {
    seen = old;
    old = atomicCAS(i + 3, seen, seen + 2);
  } while (old != seen);
}

extern "C" int atomics() {
  int i[4] = {};
  float f = 0;
  double d = 0;
  unsigned u[2] = {};
  unsigned long long l = 0;
  __half h = 0.0f;
  atomics_kernel<<<40, 50>>>(i, &f, &d, u, &h, &l);
  return (i[0] != 2000) + (f != 1000) + (d != 500) + (i[1] != 88) + (i[2] != -49) + (u[0] != 0) +
         (u[1] != ~0u) + (float(h) != 1000) + (l != 2000) + (i[3] != 4000);
}

__constant__ float weights[4];
__device__ int counter;

__global__ void constants_kernel(float* y) {
  y[threadIdx.x] = weights[threadIdx.x];
  atomicAdd(&counter, 1);
}

extern "C" int constants() {
  const float host[] = {1, 2, 3, 4};
  std::vector<float> y(4);
  int bad = cudaMemcpyToSymbol(weights, host, sizeof(host)) != cudaSuccess;
  int count = 0;
  cudaMemcpyToSymbol(counter, &count, sizeof(count));
  constants_kernel<<<1, 4>>>(y.data());
  cudaMemcpyFromSymbol(&count, counter, sizeof(count));
  bad += cudaMemcpyToSymbol(weights, host, 8, 12) != cudaErrorInvalidValue;
  cudaGetLastError();
  return bad + (count != 4) + wrong(y, [](int i) { return i + 1.0f; });
}

__global__ void vectors_kernel(const float4* x, float4* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float4 v = __ldg(x + i);
    float2 two = make_float2(v.z, v.w);
    __stcs(y + i, make_float4(two.y, two.x, v.y, v.x));
  }
}

extern "C" int vectors() {
  static_assert(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12,
                "as on a device");
  static_assert(alignof(double2) == 16 && sizeof(short4) == 8 && alignof(uchar4) == 4,
                "as on a device");
  alignas(16) static float x[400], y[400];
  for (int i = 0; i < 400; ++i) x[i] = i;
  vectors_kernel<<<2, 7>>>(reinterpret_cast<float4*>(x), reinterpret_cast<float4*>(y), 100);
  int bad = 0;
  for (int i = 0; i < 400; ++i) bad += y[i] != i / 4 * 4 + 3 - i % 4;
  return bad;
}

__global__ void halves_kernel(float* y) {
  __half a = __float2half(1.0f), b = __float2half_rn(0.00048828125f);  // 2^-11
  y[0] = __half2float(__hadd(a, b));                                   // a tie: to even
  y[1] = float(a + __half(0.000732421875f));
  y[2] = __half2float(__hfma(__half(0.1f), __half(0.1f), __half(-0.01f)));
  __half2 two = __floats2half2_rn(65504.0f, 65520.0f);
  y[3] = __low2float(two);
  y[4] = __high2float(two);
  __nv_bfloat16 c = __float2bfloat16(1.00390625f);  // 1 + 2^-8: a tie
  y[5] = __bfloat162float(c);
  y[6] = float(__nv_bfloat16(3.0f) * __nv_bfloat16(1.0078125f));
  y[7] = float(__ushort_as_half(1));
  y[8] = float(__half(1.0 + 0x1p-11 + 0x1p-40));  // no tie as a double
  y[9] = a < b ? 1 : 0;
}

extern "C" int halves() {
  std::vector<float> y(10);
  halves_kernel<<<1, 1>>>(y.data());
  const float product = 0.0999755859375f;
  const float expected[] = {1, 1 + 0x1p-10f, 0,        65504,        INFINITY,
                            1, 3.03125f,     0x1p-24f, 1 + 0x1p-10f, 0};
  int bad = 0;
  for (int i = 0; i < 10; ++i) bad += i != 2 && y[i] != expected[i];
  const double exact = double(product) * product - double(float(__half(0.01f)));
  return bad + !(std::fabs(y[2] - exact) <= 0x1p-25);
}

__global__ void functions_kernel(float* y) {
  y[0] = __expf(2.0f) / expf(2.0f);
  y[1] = __fdividef(6.0f, 3.0f) / 2;
  y[2] = rsqrtf(4.0f) * 2;
  y[3] = __frcp_rn(4.0f) * 4;
  y[4] = __logf(10.0f) / logf(10.0f);
  y[5] = __sinf(1.0f) / sinf(1.0f);
  y[6] = __powf(2.0f, 3.0f) / 8;
  y[7] = float(max(3, 1) + min(2.0f, 1.0f)) / 4;
  y[8] = float(__clz(1) + __ffs(8) + __popc(255)) / 43;
  y[9] = __int_as_float(__float_as_int(1.0f));
  y[10] = __float2int_rn(2.5f) / 2 + (__fdividef(1.0f, 0x1p127f) != 0);
  y[11] = tanhf(100.0f) + (isnan(0.0f) ? 1 : 0);
}

extern "C" int functions() {
  std::vector<float> y(12);
  functions_kernel<<<1, 1>>>(y.data());
  int bad = 0;
  for (float v : y) bad += !(std::fabs(v - 1) < 1e-6f);
  return bad;
}

template <typename F>
__global__ void apply(F f, int* y) {
  y[threadIdx.x] = f(threadIdx.x);
}

extern "C" int device_lambdas() {
  std::vector<int> y(32);
  const int factor = 3;
  apply<<<1, 32>>>([=] __device__(int i) { return factor * i; }, y.data());
  return wrong(y, [](int i) { return 3 * i; });
}

__global__ void groups_kernel(int* y) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int sum = tile.thread_rank();
  for (int step = tile.size() / 2; step; step /= 2) sum += tile.shfl_down(sum, step);
  sum = tile.shfl(sum, 0);
  block.sync();
  int total = cg::reduce(tile, 1, cg::plus<int>());
  y[block.thread_rank()] = sum + 100 * total + 1000 * (tile.ballot(tile.thread_rank() == 2) == 4);
}

extern "C" int groups() {
  std::vector<int> y(64);
  groups_kernel<<<1, 64>>>(y.data());
  return wrong(y, [](int) { return 28 + 800 + 1000; });
}

__global__ void count_kernel(int* y) {
  y[threadIdx.x] = __syncthreads_count(threadIdx.x % 3 == 0) * 10 +
                   __syncthreads_or(threadIdx.x == 5) * 2 + __syncthreads_and(threadIdx.x < 63);
}

extern "C" int barrier_votes() {
  std::vector<int> y(64);
  count_kernel<<<1, 64>>>(y.data());
  return wrong(y, [](int) { return 222; });
}

__global__ void nothing_kernel() {}

extern "C" int limits() {
  int bad = 0;
  const dim3 refused[][2] = {{dim3(0), dim3(1)},           {dim3(1), dim3(0)},
                             {dim3(1), dim3(1025)},        {dim3(1, 65536), dim3(1)},
                             {dim3(1, 1, 65536), dim3(1)}, {dim3(1), dim3(1, 1, 65)},
                             {dim3(1), dim3(64, 32)},      {dim3(2147483648u), dim3(1)}};
  for (auto& config : refused) {
    nothing_kernel<<<config[0], config[1]>>>();
    bad += cudaPeekAtLastError() != cudaErrorInvalidConfiguration;
    bad += cudaGetLastError() != cudaErrorInvalidConfiguration;
    bad += cudaGetLastError() != cudaSuccess;
  }
  nothing_kernel<<<dim3(3, 65535), dim3(1)>>>();
  bad += cudaGetLastError() != cudaSuccess;
  std::vector<float> y(8);
  block_sum<64, float><<<1, 128>>>(y.data(), y.data());  // more than the launch bounds
  bad += cudaGetLastError() == cudaSuccess;
  return bad + std::strcmp(cudaGetErrorName(cudaErrorInvalidConfiguration),
                           "cudaErrorInvalidConfiguration");
}

extern "C" int runtime_functions() {
  float *x = nullptr, *y = nullptr;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  std::vector<float> host(100, 3), back(100);
  cudaMalloc(&x, 400);
  cudaMalloc((void**)&y, 400);
  int bad = !std::isnan(y[0]);  // nothing has been written there
  cudaMemcpy(x, host.data(), 400, cudaMemcpyHostToDevice);
  cudaMemcpyAsync(y, x, 400, cudaMemcpyDeviceToDevice, stream);
  cudaMemsetAsync(y, 0, 40, stream);
  cudaStreamSynchronize(stream);
  cudaMemcpy(back.data(), y, 400, cudaMemcpyDeviceToHost);
  cudaFree(x);
  cudaFree(y);
  cudaStreamDestroy(stream);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  bad += device.warpSize != warpSize || device.maxGridSize[1] != 65535;
  return bad + wrong(back, [](int i) { return i < 10 ? 0.0f : 3.0f; });
}

// A transpose through shared memory, with a tile that is one column wider.
__global__ void transpose_kernel(const float* x, float* y, int rows, int columns) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (column < columns && row + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = x[(row + j) * columns + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (column < rows && row + j < columns)
      y[(row + j) * rows + column] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" int transpose() {
  const int rows = 70, columns = 45;
  std::vector<float> x(rows * columns), y(rows * columns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = float(i);
  transpose_kernel<<<dim3(2, 3), dim3(32, 8)>>>(x.data(), y.data(), rows, columns);
  return wrong(y, [=](int i) { return float(i % rows * columns + i / rows); });
}
