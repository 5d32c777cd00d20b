#include <opwright/kernel.h>
#include <opwright/quantise.h>

#include <cmath>

// scale = max|value| / 127 and value / scale in int8, for value(inputs[i]...) along one row.
template <typename Value, typename... Inputs>
static void quantise_row(int8_t* output, float* scale, int64_t hidden, Value value,
                         const Inputs*... inputs) {
  const float largest = opwright::fold(
      hidden, 0.0f, [=](int64_t i) { return std::fabs(value(opwright::widen(inputs[i])...)); },
      [](float a, float b) { return opwright::larger(a, b); });
  const float divisor = *scale = largest / 127;
  opwright::map_range(
      output, hidden, [=](auto... v) { return opwright::quantised(value(v...) / divisor); },
      inputs...);
}

// scale = max|x * smooth| / 127 for each row, and x * smooth / scale in int8.
template <typename T>
void dynamic_quant(opwright::View<const T, 2> input, opwright::View<const T, 1> smooth_scales,
                   opwright::View<int8_t, 2> output, opwright::View<float, 1> scale) {
  const int64_t hidden = input.size(1);
  opwright::for_each_row(input.size(0), hidden, [&](int64_t row) {
    const T* const x = input.data + row * hidden;
    int8_t* const quantised = output.data + row * hidden;
    if (smooth_scales) {
      quantise_row(
          quantised, &scale.data[row], hidden, [](float v, float s) { return v * s; }, x,
          smooth_scales.data);
    } else {
      quantise_row(quantised, &scale.data[row], hidden, [](float v) { return v; }, x);
    }
  });
}
