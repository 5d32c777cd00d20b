#error "rocwmma/rocwmma.hpp is not emulated: matrix cores have no counterpart on the host"
