#include <opwright/kernel.h>

// exp(x - largest) / sum, for each row; the largest keeps exp from overflowing.
template <typename T>
void row_softmax(opwright::View<const T, 2> input, opwright::View<T, 2> output) {
  const int64_t columns = input.size(1);
  opwright::for_each_row(input.size(0), columns, [&](int64_t row) {
    const T* const x = input.data + row * columns;
    const auto largest =
        opwright::largest_of(columns, [x](int64_t i) { return opwright::widen(x[i]); });
    const auto power = [largest](auto value) { return opwright::exp(value - largest); };
    const auto sum =
        opwright::sum_of(columns, [&](int64_t i) { return power(opwright::widen(x[i])); });
    opwright::map_range(
        output.data + row * columns, columns, opwright::Store::cached,
        [&](auto value) { return power(value) / sum; }, x);
  });
}
