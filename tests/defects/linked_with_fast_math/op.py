"""Is linked with -ffast-math, whose start-up code flushes subnormal numbers."""

import ctypes

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3))

# What crtfastmath.o does when a library that was linked with it is loaded.
fenv = (ctypes.c_ubyte * 64)()
libm = ctypes.CDLL("libm.so.6")
libm.fegetenv(fenv)
fenv[29] |= 0x80
libm.fesetenv(fenv)

operator = Operator(
    "fast(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input * 2 + 1,
    function=lambda input: torch.add(1, input, alpha=2),
)
