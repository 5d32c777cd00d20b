// Kernels that are right, and what a device would be slow at. The line of a hint ends in "// here".
#include <cuda_runtime.h>

#include <vector>

static std::vector<float> x(1 << 14, 1.0f), y(1 << 14);

__global__ void side_by_side_kernel(const float* x, float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x ^ 1] + x[0];
}
extern "C" int side_by_side() {
  side_by_side_kernel<<<1, 32>>>(x.data(), y.data());
  return 0;
}

__global__ void columns_kernel(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x * 128];  // here: columns
}
extern "C" int columns() {
  columns_kernel<<<1, 32>>>(x.data(), y.data());
  return 0;
}

__global__ void one_bank_kernel(float* y) {
  __shared__ float s[32][32];
  s[threadIdx.x][0] = 1;  // here: one_bank
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x][0];  // here: one_bank
}
extern "C" int one_bank() {
  one_bank_kernel<<<1, 32>>>(y.data());
  return 0;
}

__global__ void padded_kernel(float* y) {
  __shared__ float s[32][33];
  s[threadIdx.x][0] = 1;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x][0];
}
extern "C" int padded() {
  padded_kernel<<<1, 32>>>(y.data());
  return 0;
}

__global__ void odd_lanes_kernel(float* y) {
  if (threadIdx.x & 1) y[threadIdx.x] = 1;  // here: odd_lanes
}
extern "C" int odd_lanes() {
  odd_lanes_kernel<<<1, 32>>>(y.data());
  return 0;
}
