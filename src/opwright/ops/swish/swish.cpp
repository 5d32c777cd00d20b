#include <opwright/kernel.h>

// x * sigmoid(x), for any shape: the views are contiguous and collapsed to one dimension.
template <typename T>
void swish(opwright::View<const T, 1> input, opwright::View<T, 1> output) {
  opwright::map(output, [](auto x) { return opwright::silu(x); }, input);
}
