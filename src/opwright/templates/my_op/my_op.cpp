// The CPU kernel. Opwright checks the arguments, allocates the outputs, and instantiates this for
// every declared dtype.
#include <opwright/kernel.h>

template <typename T>
void my_op(  // the schema's arguments, then the outputs
    opwright::View<const T, 2> input, opwright::View<const T, 1> bias, double scale,
    opwright::View<T, 2> output) {
  using Wide = opwright::compute_t<T>;             // float for the 16-bit types
  const int64_t rows = input.size(0);              // all leading dimensions together
  const int64_t hidden = input.size(1);            // the last one
  const int64_t grain = 1 + 30000 / (hidden + 1);  // so many rows are worth a thread

  opwright::parallel_for(0, rows, grain, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      for (int64_t i = 0; i < hidden; ++i) {
        const Wide x = opwright::widen(input(row, i));
        const Wide result = x * static_cast<Wide>(scale) + opwright::widen(bias(i));
        output(row, i) = opwright::narrow<T>(result);  // rounded once, at the end
      }
    }
  });
}
