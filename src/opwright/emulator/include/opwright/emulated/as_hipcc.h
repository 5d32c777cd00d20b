// What hipcc defines before a source.
#pragma once
#define OPWRIGHT_EMULATED_HIP 1
#define __HIP__ 1
#define __HIPCC__ 1
#define __HIP_PLATFORM_AMD__ 1
#define __HIP_DEVICE_COMPILE__ 1
#define __AMDGCN_WAVEFRONT_SIZE OPWRIGHT_WAVE_SIZE
#include <hip/hip_runtime.h>
