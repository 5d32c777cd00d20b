#include <opwright/device_map.h>
#include <opwright/kernel.h>

struct Sum {
  template <typename F>
  __device__ F operator()(F a, F b) const {
    return a + b;
  }
};

// a + b, for tensors of any shape: the views are contiguous and collapsed to one dimension.
template <typename T>
void add2(opwright::View<const T, 1> a, opwright::View<const T, 1> b, opwright::View<T, 1> output,
          opwright::Stream stream) {
  opwright::map(stream, output, Sum(), a, b);
}
