#include <opwright/device_map.h>
#include <opwright/device_math.h>
#include <opwright/kernel.h>

template <typename T>
struct SwiGlu {
  template <typename F>
  __device__ F operator()(F gate, F up) const {
    return opwright::silu<T>(gate) * up;
  }
};

// gate * sigmoid(gate) * up, for any shape: the views are contiguous and collapsed to one
// dimension.
template <typename T>
void swiglu(opwright::View<const T, 1> gate, opwright::View<const T, 1> up,
            opwright::View<T, 1> output, opwright::Stream stream) {
  opwright::map(stream, output, SwiGlu<T>(), gate, up);
}
