#include <opwright/kernel.h>

// c = a + b, for tensors of any shape: the views are contiguous and collapsed to one dimension.
template <typename T>
void add2(opwright::View<T, 1> c, opwright::View<const T, 1> a, opwright::View<const T, 1> b) {
  opwright::map(c, [](auto x, auto y) { return x + y; }, a, b);
}
