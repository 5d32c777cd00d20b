// Faults that AddressSanitizer finds, chosen by the program's argument; 0 is none.
#include <cuda_runtime.h>

#include <cstdlib>

__global__ void kernel(float* y, int n, int fault) {
  __shared__ float fixed[32];
  extern __shared__ float dynamic[];
  float local[4] = {};
  int i = threadIdx.x;
  fixed[i % 32] = i;
  dynamic[i] = i;
  __syncthreads();
  float v = __shfl_down_sync(0xffffffff, fixed[i % 32], 1, 2) + dynamic[i];
  if (fault == 1 && i == 5) y[n] = v;            // fault 1
  if (fault == 2 && i == 5) v += fixed[n - 32];  // fault 2
  if (fault == 3 && i == 5) v += dynamic[n];     // fault 3
  if (fault == 4 && i == 5) v += local[n - 60];  // fault 4
  __syncthreads();
  y[i] = v + local[i & 3];  // fault 5
}

int main(int, char** arguments) {
  const int fault = atoi(arguments[1]);
  float* y = static_cast<float*>(malloc(64 * sizeof(float)));
  for (int round = 0; round < 20; ++round) kernel<<<300, 64, 256>>>(y, 64, fault);
  free(y);
  if (fault == 5) kernel<<<1, 64, 256>>>(y, 64, 0);
  return 0;
}
