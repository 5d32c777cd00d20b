#error "cub/cub.cuh is not emulated: write the reduction or scan by hand, or check on a device only"
