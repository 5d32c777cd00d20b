#include <opwright/device.h>
#include <opwright/device_reduce.h>
#include <opwright/kernel.h>
#include <opwright/rank.h>

// Softmax over the experts, and its k largest with their experts, a block a row. The next largest
// is the first in the order of all that come after the one before.
template <typename T>
__global__ void moe_gating_top_k_softmax_kernel(opwright::View<const T, 2> input,
                                                opwright::View<const bool, 1> finished, int64_t k,
                                                opwright::View<T, 2> output,
                                                opwright::View<int32_t, 2> expert_idx,
                                                opwright::View<int32_t, 2> row_idx) {
  __shared__ float scratch[opwright::kMostWaves];
  __shared__ unsigned long long ranks[opwright::kMostWaves];
  const int64_t rows = input.size(0), experts = input.size(1);
  for (int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    const T* const x = input.data + row * experts;
    float largest = -INFINITY, sum = 0;
    for (int64_t i = threadIdx.x; i < experts; i += blockDim.x)
      largest = opwright::widen(x[i]) > largest ? opwright::widen(x[i]) : largest;
    largest = opwright::block_max(largest, scratch);
    for (int64_t i = threadIdx.x; i < experts; i += blockDim.x)
      sum += exp(opwright::widen(x[i]) - largest);
    sum = opwright::block_sum(sum, scratch);
    unsigned long long before = ~0ull;
    for (int64_t j = 0; j < k; ++j) {
      unsigned long long next = 0;
      for (int64_t i = threadIdx.x; i < experts; i += blockDim.x) {
        const auto rank = opwright::rank_of(opwright::widen(x[i]), static_cast<uint32_t>(i));
        if (rank < before && rank > next) next = rank;
      }
      next = opwright::block_max(next, ranks);
      if (threadIdx.x == 0) {
        const int64_t expert = opwright::index_of(next), at = row * k + j;
        output.data[at] = opwright::narrow<T>(exp(opwright::widen(x[expert]) - largest) / sum);
        expert_idx.data[at] =
            static_cast<int32_t>(finished && finished.data[row] ? experts : expert);
        row_idx.data[at] = static_cast<int32_t>(j * rows + row);
      }
      before = next;
    }
  }
}

template <typename T>
void moe_gating_top_k_softmax(opwright::View<const T, 2> input,
                              opwright::View<const bool, 1> finished, int64_t k,
                              opwright::View<T, 2> output, opwright::View<int32_t, 2> expert_idx,
                              opwright::View<int32_t, 2> row_idx, opwright::Stream stream) {
  const int threads = opwright::threads_for_row(input.size(1));
  opwright::launch(moe_gating_top_k_softmax_kernel<T>, opwright::blocks_for(input.size(0), 1),
                   threads, stream, input, finished, k, output, expert_idx, row_idx);
}
