// How functions are marked, so that one header serves host and device compilers.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define OPWRIGHT_HOST_DEVICE __host__ __device__
#else
#define OPWRIGHT_HOST_DEVICE
#endif

// Inlined even at -O2, because a loop is vectorised only when everything in it is inlined.
#define OPWRIGHT_INLINE OPWRIGHT_HOST_DEVICE inline __attribute__((always_inline))

// A function that only a device has.
#define OPWRIGHT_DEVICE_INLINE __device__ inline __attribute__((always_inline))

// Set where code is being compiled for a chip: NVIDIA's, by its architecture, or one of AMD's.
#if defined(__CUDA_ARCH__) && !defined(OPWRIGHT_EMULATED)
#define OPWRIGHT_CUDA_ARCH __CUDA_ARCH__
#else
#define OPWRIGHT_CUDA_ARCH 0
#endif
#if defined(__HIP_DEVICE_COMPILE__) && !defined(OPWRIGHT_EMULATED)
#define OPWRIGHT_AMD_DEVICE 1
#else
#define OPWRIGHT_AMD_DEVICE 0
#endif
