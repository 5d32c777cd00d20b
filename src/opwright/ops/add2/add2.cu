#include <opwright/device.h>
#include <opwright/kernel.h>

// c = a + b, for tensors of any shape: the views are contiguous and collapsed to one dimension.
template <typename T>
__global__ void add2_kernel(opwright::View<T, 1> c, opwright::View<const T, 1> a,
                            opwright::View<const T, 1> b) {
  const int64_t count = c.numel();
  for (int64_t at = opwright::grid_index(); at < count; at += opwright::grid_step())
    c.data[at] = opwright::narrow<T>(opwright::widen(a.data[at]) + opwright::widen(b.data[at]));
}

template <typename T>
void add2(opwright::View<T, 1> c, opwright::View<const T, 1> a, opwright::View<const T, 1> b,
          opwright::Stream stream) {
  constexpr int kThreads = 256;
  opwright::launch(add2_kernel<T>, opwright::blocks_for(c.numel(), kThreads), kThreads, stream, c,
                   a, b);
}
