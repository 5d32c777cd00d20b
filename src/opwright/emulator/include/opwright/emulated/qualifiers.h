// The words that device code is marked with. What they say about memory and calls is upheld by the
// translator (opwright/emulator/translate.py) and by the runtime, so most of them vanish here.
#pragma once

#ifndef OPWRIGHT_WAVE_SIZE
#define OPWRIGHT_WAVE_SIZE 32
#endif
static_assert(OPWRIGHT_WAVE_SIZE == 32 || OPWRIGHT_WAVE_SIZE == 64, "a wave has 32 or 64 lanes");

// A launch that no spelling's header claims is one of CUDA.
#ifdef OPWRIGHT_EMULATED_HIP
#define OPWRIGHT_EMULATED_VENDOR ::opwright::emulated::Vendor::hip
#else
#define OPWRIGHT_EMULATED_VENDOR ::opwright::emulated::Vendor::cuda
#endif

#define __global__
#define __device__
#define __host__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

// Machinery of the emulator: its memory accesses are none of the kernel's.
#define OPWRIGHT_EMULATED_HIDDEN inline __attribute__((no_sanitize("thread")))

// Device functions that access the kernel's memory: always inlined, so that the place of the access
// is the kernel's line (addr2line names the line of the call as the caller of this one).
#define OPWRIGHT_EMULATED_INLINE inline __attribute__((always_inline))
