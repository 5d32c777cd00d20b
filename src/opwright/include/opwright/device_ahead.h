// Runs of 16 bytes that a thread asks for long before it uses them: they wait in shared memory, in
// no register, while it is busy with others. NVIDIA's chips have that from sm_80 on; elsewhere, and
// on the emulator, nothing is launched that does.
#pragma once

#include <stdint.h>

#include "device.h"
#include "device_vector.h"

#if defined(__CUDACC__) && !defined(OPWRIGHT_EMULATED)
#define OPWRIGHT_FETCHES_AHEAD true
#else
#define OPWRIGHT_FETCHES_AHEAD false
#endif

namespace opwright {

namespace detail {

// A thread's own runs, `blockDim.x` apart. A slot may be asked for again as soon as it has been
// read: what is copied comes from memory, long after the read.
template <typename T, int N>
class Ahead {
 public:
  OPWRIGHT_DEVICE_INLINE void ask(int k, const T* from) const {
#if OPWRIGHT_CUDA_ARCH >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(slot(k)))),
                 "l"(from)
                 : "memory");
#else
    *slot(k) = load<N>(from);
#endif
  }
  static OPWRIGHT_DEVICE_INLINE void wait() {
#if OPWRIGHT_CUDA_ARCH >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  }
  OPWRIGHT_DEVICE_INLINE Run<T, N> get(int k) const { return *slot(k); }

 private:
  static_assert(sizeof(Run<T, N>) == kVectorBytes, "what one instruction copies");

  static OPWRIGHT_DEVICE_INLINE Run<T, N>* slot(int k) {
#if OPWRIGHT_FETCHES_AHEAD
    extern __shared__ uint4 opwright_ahead[];
    return reinterpret_cast<Run<T, N>*>(opwright_ahead) + k * blockDim.x + threadIdx.x;
#else
    return nullptr;
#endif
  }
};

// Whether a kernel may have so much shared memory, which is allowed to it then.
template <typename Kernel>
bool allows_shared(Kernel kernel, size_t size_bytes) {
#if OPWRIGHT_FETCHES_AHEAD
  int device = 0, most = 0;
  return cudaGetDevice(&device) == cudaSuccess &&
         cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device) ==
             cudaSuccess &&
         // Some is in use without this.
         size_bytes + 4096 <= static_cast<size_t>(most) &&
         cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              static_cast<int>(size_bytes)) == cudaSuccess;
#else
  static_cast<void>(kernel), static_cast<void>(size_bytes);
  return false;
#endif
}

}  // namespace detail

}  // namespace opwright
