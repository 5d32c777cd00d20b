// What nvcc defines, and includes, before a source.
#pragma once
#define __CUDACC__ 1
#define __NVCC__ 1
#define __CUDA_ARCH__ 900
#include <cuda_runtime.h>
