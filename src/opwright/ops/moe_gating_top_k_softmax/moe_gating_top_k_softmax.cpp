#include <opwright/kernel.h>
#include <opwright/rank.h>

// Softmax over the experts, and its k largest with their experts, for each row. The next largest is
// the first in the order of all that come after the one before.
template <typename T>
void moe_gating_top_k_softmax(opwright::View<const T, 2> input,
                              opwright::View<const bool, 1> finished, int64_t k,
                              opwright::View<T, 2> output, opwright::View<int32_t, 2> expert_idx,
                              opwright::View<int32_t, 2> row_idx) {
  const int64_t rows = input.size(0), experts = input.size(1);
  opwright::for_each_row(rows, experts * (k + 2), [&](int64_t row) {
    const T* const x = input.data + row * experts;
    const auto largest =
        opwright::largest_of(experts, [x](int64_t i) { return opwright::widen(x[i]); });
    const auto power = [x, largest](int64_t i) {
      return opwright::exp(opwright::widen(x[i]) - largest);
    };
    const auto sum = opwright::sum_of(experts, power);
    unsigned long long before = ~0ull;
    for (int64_t j = 0; j < k; ++j) {
      unsigned long long next = 0;
      for (int64_t i = 0; i < experts; ++i) {
        const auto rank = opwright::rank_of(opwright::widen(x[i]), static_cast<uint32_t>(i));
        if (rank < before && rank > next) next = rank;
      }
      const int64_t expert = opwright::index_of(next), at = row * k + j;
      output.data[at] = opwright::narrow<T>(power(expert) / sum);
      expert_idx.data[at] = static_cast<int32_t>(finished && finished.data[row] ? experts : expert);
      row_idx.data[at] = static_cast<int32_t>(j * rows + row);
      before = next;
    }
  });
}
