// How functions are marked, so that one header serves host and device compilers.
#pragma once

#if defined(__CUDACC__) || defined(__HIPCC__)
#define OPWRIGHT_HOST_DEVICE __host__ __device__
#else
#define OPWRIGHT_HOST_DEVICE
#endif

// Inlined even at -O2, because a loop is vectorised only when everything in it is inlined.
#define OPWRIGHT_INLINE OPWRIGHT_HOST_DEVICE inline __attribute__((always_inline))
