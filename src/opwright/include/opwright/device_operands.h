// What the loops of device_map.h and device_columns.h read and write: tensors as their kernels get
// them, and what a thread has loaded of all of them.
#pragma once

#include <stdint.h>

#include <type_traits>

#include "device_unaligned.h"
#include "device_vector.h"
#include "random.h"
#include "two.h"

namespace opwright {

// As an input: the element's Place in the tensor, counted through all rows.
struct Places {};

namespace detail {

// An input with a value for each element that begins anywhere, or aligned to runs.
template <typename T>
struct AnyElements {
  using Element = T;
  template <int N>
  using Loaded = AskedRun<T, N>;
  static constexpr bool is_streamed = true, kPlacesShared = false;
  Unaligned<T> elements;

  AnyElements from(int64_t at) const { return {{elements.data + at}}; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE AskedRun<T, N> load(int64_t at, int64_t) const {
    AskedRun<T, N> asked;
    elements.ask(asked, at, elements.template behind<N>(at));
    return asked;
  }
  template <int N>
  OPWRIGHT_DEVICE_INLINE void settle(AskedRun<T, N>& asked, int64_t at, int64_t) const {
    elements.settle(asked, elements.template behind<N>(at));
  }
};
template <typename T>
struct Elements {
  using Element = T;
  template <int N>
  using Loaded = Run<T, N>;
  static constexpr bool is_streamed = true, kPlacesShared = false;
  const T* data;

  bool aligned(int64_t at, int length) const { return is_aligned(data + at, length * sizeof(T)); }
  Elements from(int64_t at) const { return {data + at}; }
  AnyElements<T> any() const { return {{data}}; }
  template <int N>
  OPWRIGHT_DEVICE_INLINE Run<T, N> load(int64_t at, int64_t) const {
    return opwright::load<N>(data + at);
  }
};

// An input with a value for each column, likewise.
template <typename T>
struct AnyColumns {
  using Element = T;
  template <int N>
  using Loaded = AskedRun<T, N>;
  static constexpr bool is_streamed = false, kPlacesShared = false;
  AnyElements<T> elements;

  template <int N>
  OPWRIGHT_DEVICE_INLINE AskedRun<T, N> load(int64_t, int64_t column) const {
    return elements.template load<N>(column, 0);
  }
  template <int N>
  OPWRIGHT_DEVICE_INLINE void settle(AskedRun<T, N>& asked, int64_t, int64_t column) const {
    elements.settle(asked, column, 0);
  }
};
template <typename T>
struct Columns {
  using Element = T;
  template <int N>
  using Loaded = Run<T, N>;
  static constexpr bool is_streamed = false, kPlacesShared = false;
  const T* data;

  bool aligned(int64_t at, int length) const { return is_aligned(data + at, length * sizeof(T)); }
  AnyColumns<T> any() const { return {{{data}}}; }
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
  static constexpr bool is_streamed = false, kPlacesShared = true;

  PlacesInRows any() const { return *this; }
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
  static constexpr bool is_streamed = false, kPlacesShared = false;
  int64_t first;

  bool aligned(int64_t, int) const { return true; }
  PlacesFrom from(int64_t at) const { return {first + at}; }
  PlacesFrom any() const { return *this; }
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
struct Output {
  using Element = T;
  T* data;

  bool aligned(int64_t at, int length) const { return is_aligned(data + at, length * sizeof(T)); }
  Output from(int64_t at) const { return {data + at}; }
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

template <typename Loaded>
struct IsAsked : std::false_type {};
template <typename T, int N>
struct IsAsked<AskedRun<T, N>> : std::true_type {};

// What a thread has loaded: a run of each input, to be settled before it is used.
template <int N, typename... Inputs>
struct Loaded {
  OPWRIGHT_DEVICE_INLINE void load(int64_t, int64_t) {}
  OPWRIGHT_DEVICE_INLINE void settle(int64_t, int64_t) {}
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
  OPWRIGHT_DEVICE_INLINE void settle(int64_t at, int64_t column, Input input, Rest... others) {
    if constexpr (IsAsked<decltype(run)>::value) input.settle(run, at, column);
    rest.settle(at, column, others...);
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
