// What the loops of device_map.h and device_columns.h read and write: tensors as their kernels get
// them, and what a thread has loaded of all of them.
#pragma once

#include <stdint.h>

#include <type_traits>

#include "device_vector.h"
#include "random.h"
#include "two.h"

namespace opwright {

// As an input: the element's Place in the tensor, counted through all rows.
struct Places {};

namespace detail {

// The N elements from `from` on, wherever that is, and the same of a store.
template <int N, typename T>
OPWRIGHT_DEVICE_INLINE Run<T, N> load_any(const T* from) {
  Run<T, N> run;
#pragma unroll
  for (int i = 0; i < N; ++i) run.at[i] = from[i];
  return run;
}
template <typename T, int N>
OPWRIGHT_DEVICE_INLINE void store_any(T* to, const Run<T, N>& run) {
#pragma unroll
  for (int i = 0; i < N; ++i) to[i] = run.at[i];
}

// An input with a value for each element that is aligned to runs, or may be.
template <typename T>
struct AnyElements {
  using Element = T;
  template <int N>
  using Loaded = Run<T, N>;
  static constexpr bool is_streamed = true;
  const T* data;
  bool is_aligned;

  AnyElements from(int64_t at) const { return {data + at, is_aligned}; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE Run<T, N> load(int64_t at, int64_t) const {
    return N > 1 && is_aligned ? opwright::load<N>(data + at) : load_any<N>(data + at);
  }
};
template <typename T>
struct Elements {
  using Element = T;
  template <int N>
  using Loaded = Run<T, N>;
  static constexpr bool is_streamed = true;
  const T* data;

  bool aligned(int64_t at, int length) const { return is_aligned(data + at, length * sizeof(T)); }
  Elements from(int64_t at) const { return {data + at}; }
  AnyElements<T> any(int length) const { return {data, aligned(0, length)}; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE Run<T, N> load(int64_t at, int64_t) const {
    return opwright::load<N>(data + at);
  }
};

// An input with a value for each column, of which runs begin at aligned ones, or at any.
template <typename T>
struct AnyColumns {
  using Element = T;
  template <int N>
  using Loaded = Run<T, N>;
  static constexpr bool is_streamed = false;
  const T* data;

  template <int N>
  OPWRIGHT_DEVICE_INLINE Run<T, N> load(int64_t, int64_t column) const {
    return load_any<N>(data + column);
  }
};
template <typename T>
struct Columns {
  using Element = T;
  template <int N>
  using Loaded = Run<T, N>;
  static constexpr bool is_streamed = false;
  const T* data;

  bool aligned(int64_t at, int length) const { return is_aligned(data + at, length * sizeof(T)); }
  AnyColumns<T> any(int) const { return {data}; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE Run<T, N> load(int64_t, int64_t column) const {
    return opwright::load<N>(data + column);
  }
};

template <int N>
struct PlaceOfRun {
  int64_t first;

  OPWRIGHT_DEVICE_INLINE Place number(int i) const {
    if constexpr (N % 4 == 0) return Place(static_cast<uint64_t>(first) / 4 + i / 4, i % 4);
    return Place(first + i);
  }
};

// Counted through rows, or from the first element on, which is not the first of a whole run then.
struct PlacesInRows {
  using Element = char;
  template <int N>
  using Loaded = PlaceOfRun<N>;
  static constexpr bool is_streamed = false;

  PlacesInRows any(int) const { return *this; }
  bool aligned(int64_t, int) const { return true; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE PlaceOfRun<N> load(int64_t at, int64_t) const {
    return {at};
  }
};
struct PlacesFrom {
  using Element = char;
  template <int N>
  using Loaded = PlaceOfRun<1>;
  static constexpr bool is_streamed = false;
  int64_t first;

  bool aligned(int64_t, int) const { return true; }
  PlacesFrom from(int64_t at) const { return {first + at}; }
  PlacesFrom any(int) const { return *this; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE PlaceOfRun<1> load(int64_t at, int64_t) const {
    return {first + at};
  }
};

template <typename T, int Rank>
Elements<std::remove_const_t<T>> elements_of(View<T, Rank> view) {
  return {view.data};
}
inline PlacesFrom elements_of(Places) { return {0}; }

// In a loop over rows.
template <typename T>
Elements<std::remove_const_t<T>> operand_of(View<T, 2> view) {
  return {view.data};
}
template <typename T>
Columns<std::remove_const_t<T>> operand_of(View<T, 1> view) {
  return {view.data};
}
inline PlacesInRows operand_of(Places) { return {}; }

// The results of a run.
template <typename R, int N>
struct Results {
  R at[N];
};

template <typename T>
struct AnyOutput {
  using Element = T;
  T* data;
  bool is_aligned;

  AnyOutput from(int64_t at) const { return {data + at, is_aligned}; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE void store(int64_t at, const Results<compute_t<T>, N>& results) const {
    const Run<T, N> run = packed<T>(results.at);
    N > 1 && is_aligned ? opwright::store(data + at, run) : store_any(data + at, run);
  }
};
template <typename T>
struct Output {
  using Element = T;
  T* data;

  bool aligned(int64_t at, int length) const { return is_aligned(data + at, length * sizeof(T)); }
  Output from(int64_t at) const { return {data + at}; }
  AnyOutput<T> any(int length) const { return {data, aligned(0, length)}; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE void store(int64_t at, const Results<compute_t<T>, N>& results) const {
    opwright::store(data + at, packed<T>(results.at));
  }
};
template <typename One>
struct TwoOutputs {
  using Element = typename One::Element;
  One first, second;

  bool aligned(int64_t at, int length) const {
    return first.aligned(at, length) && second.aligned(at, length);
  }
  TwoOutputs from(int64_t at) const { return {first.from(at), second.from(at)}; }
  auto any(int length) const {
    using Any = decltype(first.any(length));
    return TwoOutputs<Any>{first.any(length), second.any(length)};
  }
  template <int N>
  OPWRIGHT_DEVICE_INLINE void store(int64_t at,
                                    const Results<Two<compute_t<Element>>, N>& results) const {
    Results<compute_t<Element>, N> one, other;
    for (int i = 0; i < N; ++i) {
      one.at[i] = results.at[i].first;
      other.at[i] = results.at[i].second;
    }
    first.store(at, one);
    second.store(at, other);
  }
};

template <typename T, int Rank>
Output<T> output_of(View<T, Rank> view) {
  return {view.data};
}
template <typename T, int Rank>
TwoOutputs<Output<T>> output_of(Two<View<T, Rank>> views) {
  return {{views.first.data}, {views.second.data}};
}
template <typename T, int Rank>
View<T, Rank> shape_of(View<T, Rank> view) {
  return view;
}
template <typename T, int Rank>
View<T, Rank> shape_of(Two<View<T, Rank>> views) {
  return views.first;
}

// What a thread has loaded: a run of each input.
template <int N, typename... Inputs>
struct Loaded {
  OPWRIGHT_DEVICE_INLINE void load(int64_t, int64_t) {}
  template <typename F, typename... Numbers>
  OPWRIGHT_DEVICE_INLINE auto result(F& f, int, Numbers... numbers) const {
    return f(numbers...);
  }
};
template <int N, typename Input, typename... Rest>
struct Loaded<N, Input, Rest...> {
  typename Input::template Loaded<N> run;
  Loaded<N, Rest...> rest;

  OPWRIGHT_DEVICE_INLINE void load(int64_t at, int64_t column, Input input, Rest... others) {
    run = input.template load<N>(at, column);
    rest.load(at, column, others...);
  }
  // f of the elements at `i`.
  template <typename F, typename... Numbers>
  OPWRIGHT_DEVICE_INLINE auto result(F& f, int i, Numbers... numbers) const {
    return rest.result(f, i, numbers..., run.number(i));
  }
  template <typename F>
  OPWRIGHT_DEVICE_INLINE auto results(F& f) const {
    Results<decltype(result(f, 0)), N> all;
#pragma unroll
    for (int i = 0; i < N; ++i) all.at[i] = result(f, i);
    return all;
  }
};

// Runs of each input that a thread loads before it computes, where `most` of all are in flight.
template <typename... Inputs>
constexpr int runs_in_flight(int most) {
  const int streams = (0 + ... + static_cast<int>(Inputs::is_streamed));
  return most > streams ? most / streams : 1;
}

}  // namespace detail

}  // namespace opwright
