#include <opwright/kernel.h>

// As many exponentials of a row are kept until their sum is known; those behind are computed twice.
constexpr int64_t kKept = 8192;

// exp(x - largest) / sum, for each row; the largest keeps exp from overflowing.
template <typename T>
void row_softmax(opwright::View<const T, 2> input, opwright::View<T, 2> output) {
  using Compute = opwright::compute_t<T>;
  const int64_t columns = input.size(1), count = columns < kKept ? columns : kKept;
  opwright::for_each_row(input.size(0), columns, [&](int64_t row) {
    const T *const x = input.data + row * columns, *const behind = x + count;
    T* const y = output.data + row * columns;
    const Compute largest =
        opwright::largest_of(columns, [x](int64_t i) { return opwright::widen(x[i]); });
    const auto power = [largest](auto value) { return opwright::exp_of_negative(value - largest); };
    Compute kept[kKept];
    opwright::map_range(kept, count, power, x);
    Compute sum = opwright::sum_of(count, [&kept](int64_t i) { return kept[i]; });
    sum += opwright::sum_of(columns - count,
                            [=](int64_t i) { return power(opwright::widen(behind[i])); });
    const Compute scale = 1 / sum;
    opwright::map_range(y, count, [scale](auto value) { return value * scale; }, kept);
    opwright::map_range(
        y + count, columns - count, [=](auto value) { return power(value) * scale; }, behind);
  });
}
