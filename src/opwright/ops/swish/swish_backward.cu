#include <opwright/device_map.h>
#include <opwright/device_math.h>
#include <opwright/kernel.h>

template <typename T>
struct SwishBackward {
  template <typename F>
  __device__ F operator()(F g, F x) const {
    return g * opwright::silu_slope<T>(x);
  }
};

// grad_output * d silu(x) / dx, for any shape: the views are collapsed to one dimension.
template <typename T>
void swish_backward(opwright::View<const T, 1> grad_output, opwright::View<const T, 1> input,
                    opwright::View<T, 1> grad_input, opwright::Stream stream) {
  opwright::map(stream, grad_input, SwishBackward<T>(), grad_output, input);
}
