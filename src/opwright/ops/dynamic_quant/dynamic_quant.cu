#include <opwright/device_rows.h>
#include <opwright/kernel.h>
#include <opwright/quantise.h>

template <typename T, bool Smooth>
struct DynamicQuant {
  using Element = T;
  static constexpr bool has_vectors = Smooth;
  opwright::View<const T, 2> input;
  opwright::View<const T, 1> smooth_scales;
  opwright::View<int8_t, 2> output;
  opwright::View<float, 1> scale;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    if constexpr (Smooth) {
      quantise(
          row, [](float v, float s) { return v * s; }, row.load(input), row.along(smooth_scales));
    } else {
      quantise(row, [](float v) { return v; }, row.load(input));
    }
  }
  template <typename Row, typename Value, typename... Values>
  __device__ void quantise(Row& row, Value value, const Values&... values) const {
    const auto larger = [](float a, float b) { return opwright::larger(a, b); };
    const float largest =
        row.reduce(0.0f, larger, [=](auto... v) { return fabsf(value(v...)); }, values...);
    const float divisor = largest / 127;
    const opwright::Divisor by(divisor);
    if (by.is_usual()) {  // no quotient is beyond 127 then
      row.store(
          output, [=](auto... v) { return opwright::quantised_within(by.unscaled(value(v...))); },
          values...);
    } else {
      row.store(
          output, [=](auto... v) { return opwright::quantised(by.quotient(value(v...))); },
          values...);
    }
    if (row.is_first()) scale.data[row.index] = divisor;
  }
};

// scale = max|x * smooth| / 127, and x * smooth / scale in int8, for each row.
template <typename T>
void dynamic_quant(opwright::View<const T, 2> input, opwright::View<const T, 1> smooth_scales,
                   opwright::View<int8_t, 2> output, opwright::View<float, 1> scale,
                   opwright::Stream stream) {
  const int64_t rows = input.size(0), hidden = input.size(1);
  if (smooth_scales) {
    opwright::for_rows(stream, DynamicQuant<T, true>{input, smooth_scales, output, scale}, rows,
                       hidden, input.data, smooth_scales.data, output.data);
  } else {
    opwright::for_rows(stream, DynamicQuant<T, false>{input, smooth_scales, output, scale}, rows,
                       hidden, input.data, output.data);
  }
}
