#include <opwright/device_math.h>
#include <opwright/device_rows.h>
#include <opwright/kernel.h>

// The largest keeps exp from overflowing.
template <typename T>
struct RowSoftmax {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  static constexpr bool has_vectors = false;
  opwright::View<const T, 2> input;
  opwright::View<T, 2> output;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto x = row.load(input);
    const auto larger = [](Compute a, Compute b) { return a < b ? b : a; };
    const Compute largest = row.reduce(Compute(-INFINITY), larger, [](Compute v) { return v; }, x);
    const auto powers = row.map([=](Compute v) { return opwright::exp<T>(v - largest); }, x);
    const Compute scale = Compute(1) / row.sum([](Compute v) { return v; }, powers);
    row.store(output, [=](Compute v) { return v * scale; }, powers);
  }
};

// exp(x - largest) / sum, for each row.
template <typename T>
void row_softmax(opwright::View<const T, 2> input, opwright::View<T, 2> output,
                 opwright::Stream stream) {
  opwright::for_rows(stream, RowSoftmax<T>{input, output}, input.size(0), input.size(1), input.data,
                     output.data);
}
