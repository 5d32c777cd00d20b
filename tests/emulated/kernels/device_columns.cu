#include <opwright/device_columns.h>

struct Product {
  template <typename F>
  __device__ F operator()(F x, F y, F z) const {
    return x * y + z;
  }
};
struct WithSecond {
  template <typename F>
  __device__ opwright::Two<F> operator()(opwright::Place place, F x) const {
    return {x, static_cast<F>(int64_t(place) % 128)};
  }
};

template <typename T, int Rank>
using View = opwright::View<T, Rank>;

#define EXPORT(name, T)                                                                           \
  extern "C" void name##_sums(T* output, T* sums, const T* a, const T* b, const T* c,             \
                              int64_t rows, int64_t columns) {                                    \
    const auto matrix = [=](const T* data) {                                                      \
      return View<const T, 2>{data, {rows, columns}, {columns, 1}};                               \
    };                                                                                            \
    opwright::map_rows_and_sum(nullptr, View<T, 2>{output, {rows, columns}, {columns, 1}},        \
                               View<T, 1>{sums, {columns}, {1}}, Product(), matrix(a), matrix(b), \
                               View<const T, 1>{c, {columns}, {1}});                              \
  }                                                                                               \
  extern "C" void name##_sums_alone(T* sums, const T* x, T* scratch, int64_t rows,                \
                                    int64_t columns) {                                            \
    opwright::sum_columns(nullptr, View<T, 1>{sums, {columns}, {1}},                              \
                          View<const T, 2>{x, {rows, columns}, {columns, 1}},                     \
                          View<T, 2>{scratch, {rows, columns}, {columns, 1}});                    \
  }
EXPORT(float32, float)
EXPORT(float16, opwright::float16)

extern "C" void bfloat16_two(opwright::bfloat16* first, opwright::bfloat16* second,
                             opwright::bfloat16* sums, const opwright::bfloat16* x, int64_t rows,
                             int64_t columns) {
  using T = opwright::bfloat16;
  const View<T, 2> one{first, {rows, columns}, {columns, 1}};
  const View<T, 2> other{second, {rows, columns}, {columns, 1}};
  opwright::map_rows_and_sum(nullptr, opwright::two(one, other), View<T, 1>{sums, {columns}, {1}},
                             WithSecond(), opwright::Places(),
                             View<const T, 2>{x, {rows, columns}, {columns, 1}});
}
