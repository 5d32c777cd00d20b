#include <opwright/kernel.h>

// gate * sigmoid(gate) * up, for any shape: the views are contiguous and collapsed to one
// dimension.
template <typename T>
void swiglu(opwright::View<const T, 1> gate, opwright::View<const T, 1> up,
            opwright::View<T, 1> output) {
  opwright::map(output, [](auto x, auto y) { return opwright::silu(x) * y; }, gate, up);
}
