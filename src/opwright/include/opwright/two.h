// Two things of a kind: what a function of two results returns, and the tensors that they go to.
#pragma once

#include "target.h"
#include "view.h"

namespace opwright {

template <typename T>
struct Two {
  T first, second;

  friend OPWRIGHT_INLINE Two operator+(Two a, Two b) {
    return {a.first + b.first, a.second + b.second};
  }
};

template <typename T, int Rank>
Two<View<T, Rank>> two(View<T, Rank> first, View<T, Rank> second) {
  return {first, second};
}

}  // namespace opwright
