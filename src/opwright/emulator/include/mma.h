#error "mma.h is not emulated: tensor cores have no counterpart on the host"
