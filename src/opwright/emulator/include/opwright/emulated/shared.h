// Shared memory. The translator writes `__shared__ float sums[32];` as
//
//   typedef float sums_type[32]; auto& sums = ::opwright::emulated::shared<sums_type>([] {});
//
// and `extern __shared__ char bytes[];` with dynamic_shared. The lambda makes the slot one of its
// own, also in each instantiation of a template.
#pragma once

#include <type_traits>

#include "here.h"

namespace opwright {
namespace emulated {

struct SharedSlot {
  int number = -1;  // not numbered yet
};

void* place_shared(SharedSlot* slot, size_t size_bytes, size_t alignment);
void* dynamic_shared_memory();

// Hidden: two libraries with the same kernel have slots of their own.
template <typename T, typename Tag>
__attribute__((no_sanitize("thread"), visibility("hidden"))) T& shared(Tag) {
  static SharedSlot slot;
  const int number = __atomic_load_n(&slot.number, __ATOMIC_RELAXED);
  void* place = number < 0 ? nullptr : here.block->shared[number];
  if (!place) place = place_shared(&slot, sizeof(T), alignof(T));
  return *static_cast<T*>(place);
}

template <typename T>
__attribute__((no_sanitize("thread"))) T& dynamic_shared() {
  static_assert(std::is_array<T>::value, "dynamic shared memory is an array without a length");
  return *static_cast<T*>(dynamic_shared_memory());
}

}  // namespace emulated
}  // namespace opwright
