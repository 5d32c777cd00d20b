#include <opwright/device_math.h>
#include <opwright/device_rows.h>
#include <opwright/kernel.h>
#include <opwright/larger.h>

#include <limits>

// The largest keeps exp from overflowing. Rows that are read again for each use are read once for
// both: a sum over what was largest so far follows the largest.
template <typename T>
struct RowSoftmax {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  using Largest = opwright::Two<Compute>;  // and the sum of all exp(x - largest)
  static constexpr bool has_vectors = false;
  opwright::View<const T, 2> input;
  opwright::View<T, 2> output;

  static __device__ Largest with(Largest all, Compute v) {
    if (v <= all.first) return {all.first, all.second + opwright::exp<T>(v - all.first)};
    // 1, or NaN where exp(v - v) is.
    return {v, all.second * opwright::exp<T>(all.first - v) + (v - v + Compute(1))};
  }
  static __device__ Largest both(Largest a, Largest b) {
    const Compute largest = opwright::larger(a.first, b.first);
    return {largest, a.second * opwright::exp<T>(a.first - largest) +
                         b.second * opwright::exp<T>(b.first - largest)};
  }

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto x = row.load(input);
    const auto same = [](Compute v) { return v; };
    if constexpr (Row::has_registers) {
      const auto larger = [](Compute a, Compute b) { return opwright::larger(a, b); };
      const Compute largest = row.reduce(Compute(-INFINITY), larger, same, x);
      const auto powers = row.map([=](Compute v) { return opwright::exp<T>(v - largest); }, x);
      const Compute scale = Compute(1) / row.sum(same, powers);
      row.store(output, [=](Compute v) { return v * scale; }, powers);
    } else {
      const Largest none{std::numeric_limits<Compute>::lowest(), 0};
      const Largest all = row.accumulate(none, with, both, x);
      const Compute scale = Compute(1) / all.second;
      row.store(output, [=](Compute v) { return opwright::exp<T>(v - all.first) * scale; }, x);
    }
  }
};

// exp(x - largest) / sum, for each row.
template <typename T>
void row_softmax(opwright::View<const T, 2> input, opwright::View<T, 2> output,
                 opwright::Stream stream) {
  opwright::for_rows(stream, RowSoftmax<T>{input, output}, input.size(0), input.size(1), input.data,
                     output.data);
}
