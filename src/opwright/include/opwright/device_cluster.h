// Clusters: blocks that run at the same time and read each other's shared memory, which NVIDIA's
// chips have from sm_90 on.
//
//   launch_in_clusters(kernel, clusters, blocks_of_each, block, stream, ...);
//
// In a kernel, cluster_barrier(), and read_of(rank, &scratch[i]) for what the block of that rank
// has there, from 0 on in the order of blockIdx. A block may end only behind a barrier: until then
// others read from it.
#pragma once

#include <stdint.h>

#include "device.h"

// The emulator runs blocks one by one, and AMD's chips have none.
#if defined(__CUDACC__) && !defined(OPWRIGHT_EMULATED) && CUDART_VERSION >= 11080
#define OPWRIGHT_HAS_CLUSTERS true
#else
#define OPWRIGHT_HAS_CLUSTERS false
#endif

namespace opwright {

namespace detail {

// Whether kernels for clusters are compiled, and launched where the chip has them.
constexpr bool kHasClusters = OPWRIGHT_HAS_CLUSTERS;

// Of what was compiled for other chips than those with clusters, nothing is run.
#if OPWRIGHT_CUDA_ARCH >= 900
OPWRIGHT_DEVICE_INLINE void cluster_barrier() {
  asm volatile(
      "barrier.cluster.arrive.release.aligned;\n"
      "barrier.cluster.wait.acquire.aligned;" ::
          : "memory");
}
template <typename T>
OPWRIGHT_DEVICE_INLINE T read_of(int rank, const T* shared) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "one load");
  uint32_t address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(address)
      : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(shared))), "r"(rank));
  T value;
  if constexpr (sizeof(T) == 4) {
    uint32_t bits;
    asm volatile("ld.shared::cluster.b32 %0, [%1];" : "=r"(bits) : "r"(address) : "memory");
    value = bit_cast<T>(bits);
  } else {
    uint64_t bits;
    asm volatile("ld.shared::cluster.b64 %0, [%1];" : "=l"(bits) : "r"(address) : "memory");
    value = bit_cast<T>(bits);
  }
  return value;
}
#else
OPWRIGHT_DEVICE_INLINE void cluster_barrier() {}
template <typename T>
OPWRIGHT_DEVICE_INLINE T read_of(int, const T* shared) {
  return *shared;
}
#endif

#if OPWRIGHT_HAS_CLUSTERS
// Whether the current device has clusters, and was given code for them: what was compiled for an
// older chip runs on a newer one, too.
template <typename Kernel>
bool runs_in_clusters(Kernel kernel) {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      major < 9)
    return false;
  static const int compiled_for = [kernel] {
    cudaFuncAttributes attributes;
    return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess ? attributes.ptxVersion : 0;
  }();
  return compiled_for >= 90;
}

template <typename... Parameters, typename... Arguments>
void launch_in_clusters(void (*kernel)(Parameters...), unsigned clusters, unsigned blocks_of_each,
                        dim3 block, Stream stream, Arguments... arguments) {
  cudaLaunchAttribute shape = {};
  shape.id = cudaLaunchAttributeClusterDimension;
  shape.val.clusterDim.x = blocks_of_each;
  shape.val.clusterDim.y = shape.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(clusters * blocks_of_each);
  config.blockDim = block;
  config.stream = stream;
  config.attrs = &shape;
  config.numAttrs = 1;
  static_cast<void>(cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...));
  check_launch();
}
#endif

}  // namespace detail

}  // namespace opwright
