#include <hip/hip_runtime.h>
#include <math.h>

#include <algorithm>

// x * sigmoid(x). Any grid will do: a thread steps on by the number of threads.
template <typename scalar_t>
__global__ void swish_forward_kernel(const scalar_t* input, scalar_t* output, int count) {
  const int first = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  const int step = hipBlockDim_x * hipGridDim_x;
  for (int i = first; i < count; i += step) {
    const float x = static_cast<float>(input[i]);
    output[i] = static_cast<scalar_t>(x / (1.0f + expf(-x)));
  }
}

// grad * (y + s * (1 - y)) with s = sigmoid(x) and y = x * s.
template <typename scalar_t>
__global__ void swish_backward_kernel(const scalar_t* grad, const scalar_t* input,
                                      scalar_t* grad_input, int count) {
  const int first = hipBlockIdx_x * hipBlockDim_x + hipThreadIdx_x;
  const int step = hipBlockDim_x * hipGridDim_x;
  for (int i = first; i < count; i += step) {
    const float x = static_cast<float>(input[i]);
    const float s = 1.0f / (1.0f + expf(-x));
    const float y = x * s;
    const float g = static_cast<float>(grad[i]);
    grad_input[i] = static_cast<scalar_t>(g * (y + s * (1.0f - y)));
  }
}

// Documented flaws: an int counts the elements, and the launches are on stream 0.
template <typename scalar_t>
void launch_swish_forward(const scalar_t* input, scalar_t* output, int count) {
  const int threads = 256;
  const int blocks = std::min((count + threads - 1) / threads, 256);
  hipLaunchKernelGGL(swish_forward_kernel<scalar_t>, dim3(blocks), dim3(threads), 0, 0, input,
                     output, count);
}

template <typename scalar_t>
void launch_swish_backward(const scalar_t* grad, const scalar_t* input, scalar_t* grad_input,
                           int count) {
  const int threads = 256;
  const int blocks = std::min((count + threads - 1) / threads, 256);
  hipLaunchKernelGGL(swish_backward_kernel<scalar_t>, dim3(blocks), dim3(threads), 0, 0, grad,
                     input, grad_input, count);
}

// Documented flaw: the wrapper dispatches double as well.
template void launch_swish_forward<float>(const float*, float*, int);
template void launch_swish_backward<float>(const float*, const float*, float*, int);
