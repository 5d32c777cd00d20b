#include "add2.h"

__global__ void add2_kernel(float* c, const float* a, const float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    c[i] = a[i] + b[i];
}

// Documented flaws: stream 0, and a launch that nobody asks how it went, not even with n = 0.
void launch_add2(float* c, const float* a, const float* b, int n) {
  const dim3 grid((n + 1023) / 1024);
  const dim3 block(1024);
  add2_kernel<<<grid, block>>>(c, a, b, n);
}
