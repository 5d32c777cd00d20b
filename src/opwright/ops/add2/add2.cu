#include <opwright/device_map.h>
#include <opwright/kernel.h>

struct Sum {
  template <typename F>
  __device__ F operator()(F a, F b) const {
    return a + b;
  }
};

// c = a + b, for tensors of any shape: the views are contiguous and collapsed to one dimension.
template <typename T>
void add2(opwright::View<T, 1> c, opwright::View<const T, 1> a, opwright::View<const T, 1> b,
          opwright::Stream stream) {
  opwright::map(stream, c, Sum(), a, b);
}
