#error "hiprand/hiprand_kernel.h is not emulated: no generator of random numbers on the device"
