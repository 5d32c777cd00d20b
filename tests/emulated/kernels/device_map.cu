#include <opwright/device_map.h>

// Results that a misplaced element, row or column changes.
struct Combined {
  template <typename F>
  __device__ F operator()(F x, F y) const {
    return x * 2 + y;
  }
};
struct WithPlace {
  template <typename F>
  __device__ opwright::Two<F> operator()(opwright::Place place, F x, F y) const {
    return {x * 2 + y, static_cast<F>(int64_t(place) % 128)};
  }
};

template <typename T, int Rank>
using View = opwright::View<T, Rank>;

#define EXPORT_MAP(name, T)                                                              \
  extern "C" void name##_map(T* output, const T* a, const T* b, int64_t count) {         \
    opwright::map(nullptr, View<T, 1>{output, {count}, {1}}, Combined(),                 \
                  View<const T, 1>{a, {count}, {1}}, View<const T, 1>{b, {count}, {1}}); \
  }
#define EXPORT_OTHERS(name, T)                                                                     \
  extern "C" void name##_map_places(T* output, T* places, const T* a, const T* b, int64_t count) { \
    const View<T, 1> first{output, {count}, {1}}, second{places, {count}, {1}};                    \
    opwright::map(nullptr, opwright::two(first, second), WithPlace(), opwright::Places(),          \
                  View<const T, 1>{a, {count}, {1}}, View<const T, 1>{b, {count}, {1}});           \
  }                                                                                                \
  extern "C" void name##_map_rows(T* output, const T* input, const T* row, int64_t rows,           \
                                  int64_t columns) {                                               \
    opwright::map_rows(nullptr, View<T, 2>{output, {rows, columns}, {columns, 1}}, Combined(),     \
                       View<const T, 2>{input, {rows, columns}, {columns, 1}},                     \
                       View<const T, 1>{row, {columns}, {1}});                                     \
  }                                                                                                \
  extern "C" void name##_map_rows_places(T* output, T* places, const T* input, const T* row,       \
                                         int64_t rows, int64_t columns) {                          \
    const View<T, 2> first{output, {rows, columns}, {columns, 1}};                                 \
    const View<T, 2> second{places, {rows, columns}, {columns, 1}};                                \
    opwright::map_rows(nullptr, opwright::two(first, second), WithPlace(), opwright::Places(),     \
                       View<const T, 2>{input, {rows, columns}, {columns, 1}},                     \
                       View<const T, 1>{row, {columns}, {1}});                                     \
  }
EXPORT_MAP(float32, float)
EXPORT_MAP(float64, double)
EXPORT_MAP(bfloat16, opwright::bfloat16)
EXPORT_MAP(float16, opwright::float16)
EXPORT_OTHERS(float32, float)
EXPORT_OTHERS(bfloat16, opwright::bfloat16)
