// A tensor as a kernel sees it: a pointer, sizes and strides.
#pragma once

#include <stdint.h>

#include <type_traits>

#include "target.h"

namespace opwright {

// Strides count elements, not bytes. A view owns nothing. Whether a Tensor? argument was given is a
// flag of its own, because the data of an empty tensor may be a null pointer too.
template <typename T, int Rank>
struct View {
  static_assert(Rank >= 0, "a tensor has no negative number of dimensions");

  T* data = nullptr;
  int64_t sizes[Rank > 0 ? Rank : 1] = {};
  int64_t strides[Rank > 0 ? Rank : 1] = {};
  bool present = true;

  // What a kernel gets for None.
  static View absent() {
    View view;
    view.present = false;
    return view;
  }

  OPWRIGHT_INLINE explicit operator bool() const { return present; }
  OPWRIGHT_INLINE int64_t size(int dimension) const { return sizes[dimension]; }
  OPWRIGHT_INLINE int64_t stride(int dimension) const { return strides[dimension]; }

  OPWRIGHT_INLINE int64_t numel() const {
    int64_t product = 1;
    for (int d = 0; d < Rank; ++d) product *= sizes[d];
    return product;
  }

  // The element at these indices, one for each dimension; they are not checked.
  template <typename... Index>
  OPWRIGHT_INLINE T& operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "a view takes one index for each of its dimensions");
    const int64_t indices[Rank > 0 ? Rank : 1] = {static_cast<int64_t>(index)...};
    int64_t offset = 0;
    for (int d = 0; d < Rank; ++d) offset += indices[d] * strides[d];
    return data[offset];
  }

  // A writable view serves where a read-only one is asked for.
  template <typename U,
            std::enable_if_t<std::is_same<U, const T>::value && !std::is_const<T>::value, int> = 0>
  OPWRIGHT_INLINE operator View<U, Rank>() const {
    View<U, Rank> view;
    view.data = data;
    view.present = present;
    for (int d = 0; d < (Rank > 0 ? Rank : 1); ++d) {
      view.sizes[d] = sizes[d];
      view.strides[d] = strides[d];
    }
    return view;
  }
};

}  // namespace opwright
