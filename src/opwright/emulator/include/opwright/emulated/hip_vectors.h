// HIP's vectors can be added, multiplied and compared, element by element.
#pragma once

#include <type_traits>

#include "vectors.h"

namespace opwright {
namespace emulated {
template <typename V>
struct Elements {
  static constexpr int count = 0;
};
#define OPWRIGHT_ELEMENTS(name, T)  \
  template <>                       \
  struct Elements<name##2> {        \
    static constexpr int count = 2; \
    using type = T;                 \
  };                                \
  template <>                       \
  struct Elements<name##3> {        \
    static constexpr int count = 3; \
    using type = T;                 \
  };                                \
  template <>                       \
  struct Elements<name##4> {        \
    static constexpr int count = 4; \
    using type = T;                 \
  };
OPWRIGHT_ELEMENTS(int, int)
OPWRIGHT_ELEMENTS(uint, unsigned)
OPWRIGHT_ELEMENTS(float, float)
OPWRIGHT_ELEMENTS(double, double)
#undef OPWRIGHT_ELEMENTS

template <typename V>
using ElementOf = typename Elements<V>::type;

// f of each pair of elements.
template <typename V, typename F>
V combine(V a, const V& b, F f) {
  a.x = f(a.x, b.x);
  a.y = f(a.y, b.y);
  if constexpr (Elements<V>::count > 2) a.z = f(a.z, b.z);
  if constexpr (Elements<V>::count > 3) a.w = f(a.w, b.w);
  return a;
}

template <typename V>
V spread(ElementOf<V> value) {
  V all{};
  return combine(all, all, [value](auto, auto) { return value; });
}
}  // namespace emulated
}  // namespace opwright

#define OPWRIGHT_VECTOR_OPERATOR(op)                                                  \
  template <typename V, typename E = ::opwright::emulated::ElementOf<V>>              \
  V operator op(const V& a, const V& b) {                                             \
    return ::opwright::emulated::combine(a, b, [](E x, E y) -> E { return x op y; }); \
  }                                                                                   \
  template <typename V>                                                               \
  V operator op(const V& a, ::opwright::emulated::ElementOf<V> b) {                   \
    return a op::opwright::emulated::spread<V>(b);                                    \
  }                                                                                   \
  template <typename V>                                                               \
  V operator op(::opwright::emulated::ElementOf<V> a, const V& b) {                   \
    return ::opwright::emulated::spread<V>(a) op b;                                   \
  }                                                                                   \
  template <typename V, typename E = ::opwright::emulated::ElementOf<V>>              \
  V& operator op## = (V & a, const V& b) {                                            \
    return a = a op b;                                                                \
  }                                                                                   \
  template <typename V>                                                               \
  V& operator op## = (V & a, ::opwright::emulated::ElementOf<V> b) {                  \
    return a = a op b;                                                                \
  }
OPWRIGHT_VECTOR_OPERATOR(+)
OPWRIGHT_VECTOR_OPERATOR(-)
OPWRIGHT_VECTOR_OPERATOR(*)
OPWRIGHT_VECTOR_OPERATOR(/)
#undef OPWRIGHT_VECTOR_OPERATOR

template <typename V, typename E = ::opwright::emulated::ElementOf<V>>
bool operator==(const V& a, const V& b) {
  bool equal = true;
  ::opwright::emulated::combine(a, b, [&equal](E x, E y) -> E {
    equal = equal && x == y;
    return x;
  });
  return equal;
}
template <typename V, typename E = ::opwright::emulated::ElementOf<V>>
bool operator!=(const V& a, const V& b) {
  return !(a == b);
}
