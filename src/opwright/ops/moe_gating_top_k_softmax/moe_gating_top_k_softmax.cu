#include <opwright/device.h>
#include <opwright/device_math.h>
#include <opwright/device_top_k.h>
#include <opwright/kernel.h>

// Softmax over the experts, and its k largest with their experts, for each row.
template <typename T>
struct Gates {
  opwright::View<const bool, 1> finished;
  int64_t experts;
  opwright::View<T, 2> output;
  opwright::View<int32_t, 2> expert_idx, row_idx;

  __device__ float term(float value, float largest) const {
    return opwright::exp<T>(value - largest);
  }

  __device__ void store(int64_t row, int64_t place, float value, int64_t expert, float largest,
                        float sum) const {
    const int64_t rows = output.size(0), at = row * output.size(1) + place;
    output.data[at] = opwright::narrow<T>(term(value, largest) * (1.0f / sum));
    expert_idx.data[at] = static_cast<int32_t>(finished && finished.data[row] ? experts : expert);
    row_idx.data[at] = static_cast<int32_t>(place * rows + row);
  }
};

template <typename T>
void moe_gating_top_k_softmax(opwright::View<const T, 2> input,
                              opwright::View<const bool, 1> finished, int64_t k,
                              opwright::View<T, 2> output, opwright::View<int32_t, 2> expert_idx,
                              opwright::View<int32_t, 2> row_idx, opwright::Stream stream) {
  opwright::top_k_of_rows(stream, input, k,
                          Gates<T>{finished, input.size(1), output, expert_idx, row_idx});
}
