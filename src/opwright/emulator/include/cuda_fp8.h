#error "cuda_fp8.h is not emulated: 8-bit floating-point types"
