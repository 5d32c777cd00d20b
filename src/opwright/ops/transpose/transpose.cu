#include <opwright/device.h>
#include <opwright/kernel.h>

constexpr int kTile = 32, kRowsAtOnce = 8;

// Tile by tile through shared memory, so that rows are both read and written: neighbouring threads
// have neighbouring addresses. The tiles are counted in 64 bits, and in one dimension, since a grid
// has 65,535 blocks at most in the others.
template <typename T>
__global__ void transpose_kernel(opwright::View<const T, 2> input, opwright::View<T, 2> output) {
  __shared__ T tile[kTile][kTile + 1];  // with one more, no two of a column are in the same bank
  const int64_t rows = input.size(0), columns = input.size(1);
  const int64_t across = (columns + kTile - 1) / kTile, down = (rows + kTile - 1) / kTile;
  for (int64_t at = blockIdx.x; at < across * down; at += gridDim.x) {
    const int64_t top = at / across * kTile, left = at % across * kTile;
    for (int i = threadIdx.y; i < kTile; i += kRowsAtOnce)
      if (top + i < rows && left + threadIdx.x < columns)
        tile[i][threadIdx.x] = input.data[(top + i) * columns + left + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < kTile; i += kRowsAtOnce)
      if (left + i < columns && top + threadIdx.x < rows)
        output.data[(left + i) * rows + top + threadIdx.x] = tile[threadIdx.x][i];
    __syncthreads();  // before the next tile overwrites this one
  }
}

template <typename T>
void transpose(opwright::View<const T, 2> input, opwright::View<T, 2> output,
               opwright::Stream stream) {
  const unsigned blocks = opwright::blocks_for(output.numel(), kTile * kTile);
  opwright::launch(transpose_kernel<T>, blocks, dim3(kTile, kRowsAtOnce), stream, input, output);
}
