#include <opwright/kernel.h>
#include <opwright/quantise.h>

#include <cmath>

// scale = max|x * smooth| / 127 for each row, and x * smooth / scale in int8.
template <typename T>
void dynamic_quant(opwright::View<const T, 2> input, opwright::View<const T, 1> smooth_scales,
                   opwright::View<int8_t, 2> output, opwright::View<float, 1> scale) {
  const int64_t hidden = input.size(1);
  opwright::for_each_row(input.size(0), hidden, [&](int64_t row) {
    const auto value = [&, x = input.data + row * hidden](int64_t i) {
      return opwright::widen(x[i]) *
             (smooth_scales ? opwright::widen(smooth_scales.data[i]) : 1.0f);
    };
    float largest = 0;
    for (int64_t i = 0; i < hidden; ++i) largest = opwright::larger(std::fabs(value(i)), largest);
    scale.data[row] = largest / 127;
    for (int64_t i = 0; i < hidden; ++i)
      output.data[row * hidden + i] = opwright::quantised(value(i) / scale.data[row]);
  });
}
