#include <opwright/device_row_sums.h>
#include <opwright/device_rows.h>

template <typename T, int Rank>
using View = opwright::View<T, Rank>;

// 2 * x + y + the row's sum of x + its largest x
template <typename T>
struct Along {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  static constexpr bool has_vectors = true;
  View<const T, 2> input;
  View<const T, 1> vector;
  View<T, 2> output;
  View<T, 1> largest;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto x = row.load(input);
    const auto y = row.along(vector);
    const auto sums = row.sum([](Compute v) { return opwright::Two<Compute>{v, -v}; }, x);
    const auto larger = [](Compute a, Compute b) { return a < b ? b : a; };
    const Compute most = row.reduce(Compute(-INFINITY), larger, [](Compute v) { return v; }, x);
    row.store(output, [=](Compute v, Compute w) { return 2 * v + w - sums.second; }, x, y);
    if (row.is_first()) largest.data[row.index] = opwright::narrow<T>(most);
  }
};

// x * y + the row's sum of x; and down the columns x and 2 * x
template <typename T>
struct Down {
  using Element = T;
  using Compute = opwright::compute_t<T>;
  using Sum = opwright::Two<Compute>;
  View<const T, 2> input;
  View<const T, 1> vector;
  View<T, 2> output;

  template <typename Row>
  __device__ void operator()(Row& row) const {
    const auto x = row.load(input);
    const auto y = row.along(vector);
    const Compute sum = row.sum([](Compute v) { return v; }, x);
    row.add([](Compute v) { return Sum{v, 2 * v}; }, x);
    row.store(output, [=](Compute v, Compute w) { return v * w + sum; }, x, y);
  }
};

#define EXPORT(name, T)                                                                        \
  extern "C" void name##_along(T* output, T* largest, const T* input, const T* vector,         \
                               int64_t rows, int64_t columns) {                                \
    const Along<T> body{{input, {rows, columns}, {columns, 1}},                                \
                        {vector, {columns}, {1}},                                              \
                        {output, {rows, columns}, {columns, 1}},                               \
                        {largest, {rows}, {1}}};                                               \
    opwright::for_rows(nullptr, body, rows, columns, input, vector, output);                   \
  }                                                                                            \
  extern "C" void name##_down(T* output, T* first, T* second, const T* input, const T* vector, \
                              int64_t rows, int64_t columns) {                                 \
    const View<T, 2> to{output, {rows, columns}, {columns, 1}};                                \
    const Down<T> body{{input, {rows, columns}, {columns, 1}}, {vector, {columns}, {1}}, to};  \
    const View<T, 1> one{first, {columns}, {1}}, other{second, {columns}, {1}};                \
    opwright::for_rows_and_sum(nullptr, body, to, opwright::two(one, other), input, vector);   \
  }
EXPORT(float32, float)
EXPORT(float16, opwright::float16)
