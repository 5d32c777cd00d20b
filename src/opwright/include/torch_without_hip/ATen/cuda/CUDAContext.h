// Stands in for torch's own, which asks for its build for CUDA or HIP.
#pragma once
#include <c10/cuda/CUDAStream.h>
