#include <opwright/device_map.h>
#include <opwright/device_math.h>

template <typename T, int Rank>
using View = opwright::View<T, Rank>;

#define EXPORT(f)                                                        \
  struct Of_##f {                                                        \
    template <typename F>                                                \
    __device__ F operator()(F x) const {                                 \
      return opwright::f(x);                                             \
    }                                                                    \
  };                                                                     \
  extern "C" void float32_##f(float* y, const float* x, int64_t count) { \
    opwright::map(nullptr, View<float, 1>{y, {count}, {1}}, Of_##f(),    \
                  View<const float, 1>{x, {count}, {1}});                \
  }
EXPORT(sigmoid)
EXPORT(silu)
EXPORT(silu_slope)
EXPORT(gelu_tanh)
EXPORT(gelu_tanh_slope)
EXPORT(gelu_erf)
EXPORT(gelu_erf_slope)

// What is to be rounded to 16 bits, before it is.
#define EXPORT_HALF(f)                                                                       \
  struct Half_##f {                                                                          \
    __device__ float operator()(float x) const { return opwright::f<opwright::float16>(x); } \
  };                                                                                         \
  extern "C" void float32_half_##f(float* y, const float* x, int64_t count) {                \
    opwright::map(nullptr, View<float, 1>{y, {count}, {1}}, Half_##f(),                      \
                  View<const float, 1>{x, {count}, {1}});                                    \
  }
EXPORT_HALF(exp)
EXPORT_HALF(sigmoid)
EXPORT_HALF(silu)
EXPORT_HALF(silu_slope)
EXPORT_HALF(gelu_erf)
EXPORT_HALF(gelu_erf_slope)

struct Same {
  __device__ float operator()(float x) const { return x; }
};
#define EXPORT_ROUNDED(name, T)                                           \
  extern "C" void name##_rounded(T* y, const float* x, int64_t count) {   \
    opwright::map(nullptr, View<T, 1>{y, {count}, {1}}, Same(),           \
                  View<const float, 1>{x, {count}, {1}});                 \
  }                                                                       \
  extern "C" int name##_length() { return opwright::vector_length<T>(); } \
  extern "C" int name##_length_beside_float() { return opwright::vector_length<T, float>(); }
extern "C" int float64_length() { return opwright::vector_length<double>(); }
extern "C" int float64_length_beside_float() { return opwright::vector_length<double, float>(); }
EXPORT_ROUNDED(bfloat16, opwright::bfloat16)
EXPORT_ROUNDED(float16, opwright::float16)
