// One planted fault a function. The line that a finding must name ends in "// here".
#include <cuda_runtime.h>

#include <cassert>
#include <vector>

#include "opwright/emulated/control.h"

static std::vector<float> x(1024, 1.0f), y(1024);

static void name_tensors(size_t elements) {
  opwright_emulated_region(x.data(), elements * 4, "x");
  opwright_emulated_region(y.data(), elements * 4, "y");
}

__global__ void missing_barrier_kernel(float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = s[threadIdx.x ^ 32];  // here: missing_barrier
}
extern "C" int missing_barrier() {
  missing_barrier_kernel<<<1, 64>>>(y.data());
  return 0;
}

__global__ void no_lockstep_kernel(float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = 1;
  __syncwarp();
  s[threadIdx.x] += s[threadIdx.x ^ 1];  // here: no_lockstep
  y[threadIdx.x] = s[threadIdx.x];
}
extern "C" int no_lockstep() {
  no_lockstep_kernel<<<1, 32>>>(y.data());
  return 0;
}

__global__ void all_write_kernel(float* y) {
  y[0] = threadIdx.x;  // here: all_write
}
extern "C" int all_write() {
  all_write_kernel<<<1, 64>>>(y.data());
  return 0;
}

__global__ void blocks_write_kernel(float* y) {
  if (threadIdx.x == 0) y[0] += 1;  // here: blocks_write
}
extern "C" int blocks_write() {
  blocks_write_kernel<<<2, 64>>>(y.data());
  return 0;
}

__global__ void early_total_kernel(float* y) {
  atomicAdd(y, 1.0f);
  if (threadIdx.x == 63) y[1] = y[0];  // here: early_total
}
extern "C" int early_total() {
  early_total_kernel<<<1, 64>>>(y.data());
  return 0;
}

__global__ void last_block_kernel(float* part, unsigned* count, float* y, bool fence) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = 1;
    if (fence) __threadfence();
    last = atomicAdd(count, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (!last || threadIdx.x) return;
  for (unsigned i = 0; i < gridDim.x; ++i) *y += part[i];  // here: no_fence
}
static unsigned count = 0;
extern "C" int no_fence() {
  count = 0;
  last_block_kernel<<<8, 64>>>(x.data(), &count, y.data(), false);
  return 0;
}
extern "C" int right_with_fence() {
  count = 0;
  y[0] = 0;
  last_block_kernel<<<8, 64>>>(x.data(), &count, y.data(), true);
  return y[0] != 8;
}

__global__ void unwritten_kernel(float* y) {
  __shared__ float s[64];
  if (threadIdx.x < 60) s[threadIdx.x] = 1;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];  // here: unwritten
}
extern "C" int unwritten() {
  unwritten_kernel<<<1, 64>>>(y.data());
  return 0;
}

__global__ void copy_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) y[i] = x[i];  // here: beyond_the_end
}
extern "C" int beyond_the_end() {
  name_tensors(64);
  copy_kernel<<<2, 64>>>(x.data(), y.data(), 64);
  return 0;
}
extern "C" int within() {
  name_tensors(65);
  copy_kernel<<<2, 64>>>(x.data(), y.data(), 64);
  return 0;
}

__global__ void pointer_to_host_kernel(const float* scale, float* y) {
  y[threadIdx.x] = *scale;  // here: pointer_to_host
}
extern "C" int pointer_to_host() {
  float scale = 2;
  name_tensors(64);
  pointer_to_host_kernel<<<1, 64>>>(&scale, y.data());
  return 0;
}

__global__ void shared_index_kernel(float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = 1;  // here: shared_index
  y[threadIdx.x] = s[threadIdx.x];
}
extern "C" int shared_index() {
  shared_index_kernel<<<1, 33>>>(y.data());
  return 0;
}

__global__ void dynamic_index_kernel(float* y) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1;  // here: dynamic_index
  y[threadIdx.x] = s[threadIdx.x];
}
extern "C" int dynamic_index() {
  dynamic_index_kernel<<<1, 64, 63 * 4>>>(y.data());
  return 0;
}

__global__ void local_index_kernel(float* y, int n) {
  float tile[8];
  for (int i = 0; i <= n; ++i) tile[i] = i;  // here: local_index
  y[threadIdx.x] = tile[n - 1];
}
extern "C" int local_index() {
  local_index_kernel<<<1, 4>>>(y.data(), 8);
  return 0;
}

__global__ void misaligned_kernel(const float* x, float* y) {
  float4 v = reinterpret_cast<const float4*>(x + 1)[threadIdx.x];  // here: misaligned
  y[threadIdx.x] = v.x;
}
extern "C" int misaligned() {
  misaligned_kernel<<<1, 4>>>(x.data(), y.data());
  return 0;
}

__global__ void overflow_kernel(float* y, int rows, int columns) {
  int last = rows * columns;  // here: overflow
  y[threadIdx.x] = last;
}
extern "C" int overflow() {
  overflow_kernel<<<1, 4>>>(y.data(), 65536, 40000);
  return 0;
}

__global__ void shift_kernel(float* y, int n) {
  y[threadIdx.x] = 1 << (n + threadIdx.x);  // here: shift
}
extern "C" int shift() {
  shift_kernel<<<1, 4>>>(y.data(), 29);
  return 0;
}

__global__ void exits_early_kernel(float* y, int n) {
  if (threadIdx.x >= n) return;
  __syncthreads();  // here: exits_early
  y[threadIdx.x] = 1;
}
extern "C" int exits_early() {
  exits_early_kernel<<<1, 64>>>(y.data(), 40);
  return 0;
}

__global__ void two_barriers_kernel(float* y) {
  if (threadIdx.x < 40) {
    __syncthreads();  // here: two_barriers
  } else {
    __syncthreads();
  }
  y[threadIdx.x] = 1;
}
extern "C" int two_barriers() {
  two_barriers_kernel<<<1, 64>>>(y.data());
  return 0;
}

__global__ void deadlock_kernel(float* y) {
  if (threadIdx.x < 16)
    y[0] = __shfl_sync(0xffffffff, 1.0f, 0);  // here: deadlock
  else
    __syncthreads();
}
extern "C" int deadlock() {
  deadlock_kernel<<<1, 32>>>(y.data());
  return 0;
}

__global__ void inactive_kernel(float* y) {
  float v = threadIdx.x;
  for (int step = 16; step; step /= 2)
    v += __shfl_down_sync(0xffffffff, v, step);  // here: inactive
  if (!threadIdx.x) y[0] = v;
}
extern "C" int inactive() {
  inactive_kernel<<<1, 24>>>(y.data());
  return 0;
}

__global__ void short_mask_kernel(float* y) {
  float v = 1;
  for (int step = warpSize / 2; step; step /= 2)
    v += __shfl_xor_sync(0xffffffff, v, step);  // here: short_mask
  y[threadIdx.x] = v;
}
extern "C" int short_mask() {
  short_mask_kernel<<<1, 64>>>(y.data());
  return 0;
}

// Right on waves of 32 lanes only.
__global__ void wave32_only_kernel(float* y) {
  __shared__ float partial[32];
  float v = 1;
  for (int step = 16; step; step /= 2) v += __shfl_down(v, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / warpSize ? partial[threadIdx.x] : 0;
    for (int step = 16; step; step /= 2) v += __shfl_down(v, step);
    if (!threadIdx.x) y[0] = v;
  }
}
extern "C" int wave32_only() {
  wave32_only_kernel<<<1, 256>>>(y.data());
  return y[0] != 256;
}

__global__ void order_kernel(int* taken, float* y) {
  if (threadIdx.x == 0) y[atomicAdd(taken, 1)] = blockIdx.x;
}
// Right only when blocks run in their order.
extern "C" int order_of_blocks() {
  int taken = 0, wrong = 0;
  order_kernel<<<16, 32>>>(&taken, y.data());
  for (int i = 0; i < 16; ++i) wrong += y[i] != i;
  return wrong;
}

__global__ void assert_kernel(float* y) {
  assert(threadIdx.x < 3);  // here: asserts
  y[threadIdx.x] = 1;
}
extern "C" int asserts() {
  assert_kernel<<<1, 8>>>(y.data());
  return cudaGetLastError() != cudaErrorAssert || cudaDeviceSynchronize() != cudaErrorAssert;
}

__global__ void trap_kernel() { __trap(); }  // here: traps
extern "C" int traps() {
  trap_kernel<<<1, 1>>>();
  return 0;
}

__global__ void nothing_kernel() {}
extern "C" int ignored_error() {
  nothing_kernel<<<dim3(1, 70000), 32>>>();  // here: ignored_error
  return 0;
}
extern "C" int default_stream() {
  nothing_kernel<<<1, 32>>>();  // here: default_stream
  return 0;
}
extern "C" int default_stream_copy() {
  cudaMemcpyAsync(y.data(), x.data(), 4, cudaMemcpyDeviceToDevice);  // here: default_stream_copy
  return 0;
}

__global__ void large_kernel(float* y) {
  __shared__ double a[4096], b[4096];  // here: too_much_shared
  a[threadIdx.x] = b[threadIdx.x] = 1;
  y[threadIdx.x] = a[threadIdx.x] + b[threadIdx.x];
}
extern "C" int too_much_shared() {
  large_kernel<<<1, 32>>>(y.data());
  return 0;
}

__global__ void parent_kernel() { nothing_kernel<<<1, 1>>>(); }
extern "C" int nested_launch() {
  parent_kernel<<<1, 1>>>();
  return 0;
}

// Traffic: each of 128 elements is read twice, and written once.
__global__ void traffic_kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + x[n - 1 - i];
}
extern "C" int traffic() {
  name_tensors(128);
  traffic_kernel<<<3, 48>>>(x.data(), y.data(), 128);
  traffic_kernel<<<3, 48>>>(x.data(), y.data(), 128);
  return 0;
}
