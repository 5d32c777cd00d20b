#include <opwright/device_map.h>

struct Sum {
  template <typename F>
  __device__ F operator()(F x, F y) const {
    return x + y;
  }
};

using T = opwright::float16;

extern "C" void float16_map(T* output, const T* a, const T* b, int64_t count) {
  opwright::map(nullptr, opwright::View<T, 1>{output, {count}, {1}}, Sum(),
                opwright::View<const T, 1>{a, {count}, {1}},
                opwright::View<const T, 1>{b, {count}, {1}});
}
