// Where the kernels of a library stand in PyTorch's dispatcher, and how one follows another.
//
// The dispatcher cannot exchange a kernel while another thread calls it. So it is given a function
// that relays to a pointer of ours, which can be exchanged at any time.
#pragma once

namespace opwright {
namespace binding {

// How many operators one library can serve in one process: two that are built alike share a
// library.
inline constexpr int kPlaces = 8;

template <typename Kernel>
class PlaceOf {
 public:
  static PlaceOf all[kPlaces];

  // The first place that nobody has, now held for `kernel`; null where there is none.
  static PlaceOf* take(Kernel kernel) {
    for (PlaceOf& place : all) {
      Kernel nobody = nullptr;
      if (__atomic_compare_exchange_n(&place.kernel_, &nobody, kernel, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_ACQUIRE))
        return &place;
    }
    return nullptr;
  }

  int index() const { return static_cast<int>(this - all); }
  Kernel kernel() const { return __atomic_load_n(&kernel_, __ATOMIC_ACQUIRE); }
  void exchange(Kernel kernel) { __atomic_store_n(&kernel_, kernel, __ATOMIC_RELEASE); }

  void* registration = nullptr;

 private:
  Kernel kernel_ = nullptr;
};

template <typename Kernel>
PlaceOf<Kernel> PlaceOf<Kernel>::all[kPlaces];

}  // namespace binding
}  // namespace opwright
