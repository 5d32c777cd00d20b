#include <opwright/device_top_k.h>

// Each row's k largest with their columns, and the sum of all less the largest.
template <typename T>
struct Found {
  int64_t k;
  T* values;
  int32_t* columns;
  float* sums;

  __device__ float term(float value, float largest) const { return value - largest; }

  __device__ void store(int64_t row, int64_t place, float value, int64_t column, float largest,
                        float sum) const {
    values[row * k + place] = opwright::narrow<T>(value);
    columns[row * k + place] = static_cast<int32_t>(column);
    if (place == 0) sums[row] = sum + largest;
  }
};

#define EXPORT(name, T)                                                                \
  extern "C" void name##_top_k(T* values, int32_t* found, float* sums, const T* input, \
                               int64_t rows, int64_t columns, int64_t k) {             \
    const opwright::View<const T, 2> from{input, {rows, columns}, {columns, 1}};       \
    opwright::top_k_of_rows(nullptr, from, k, Found<T>{k, values, found, sums});       \
  }
EXPORT(float32, float)
EXPORT(bfloat16, opwright::bfloat16)
EXPORT(float16, opwright::float16)
