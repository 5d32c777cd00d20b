#include <opwright/device.h>
#include <opwright/device_reduce.h>
#include <opwright/kernel.h>
#include <opwright/quantise.h>

// scale = max|x * smooth| / 127, and x * smooth / scale in int8, a block a row.
template <typename T>
__global__ void dynamic_quant_kernel(opwright::View<const T, 2> input,
                                     opwright::View<const T, 1> smooth_scales,
                                     opwright::View<int8_t, 2> output,
                                     opwright::View<float, 1> scale) {
  __shared__ float scratch[opwright::kMostWaves];
  const int64_t rows = input.size(0), hidden = input.size(1);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const auto value = [&](int64_t i) {
      return opwright::widen(input.data[row * hidden + i]) *
             (smooth_scales ? opwright::widen(smooth_scales.data[i]) : 1.0f);
    };
    float largest = 0;
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x)
      largest = opwright::larger(fabsf(value(i)), largest);
    largest = opwright::block_reduce(largest, scratch,
                                     [](float a, float b) { return opwright::larger(a, b); });
    const float divisor = largest / 127;
    for (int64_t i = threadIdx.x; i < hidden; i += blockDim.x)
      output.data[row * hidden + i] = opwright::quantised(value(i) / divisor);
    if (threadIdx.x == 0) scale.data[row] = divisor;
  }
}

template <typename T>
void dynamic_quant(opwright::View<const T, 2> input, opwright::View<const T, 1> smooth_scales,
                   opwright::View<int8_t, 2> output, opwright::View<float, 1> scale,
                   opwright::Stream stream) {
  const int threads = opwright::threads_for_row(input.size(1));
  opwright::launch(dynamic_quant_kernel<T>, opwright::blocks_for(input.size(0), 1), threads, stream,
                   input, smooth_scales, output, scale);
}
