"""Bias and tanh GELU as an extension for DCUs: two-dimensional grid, current stream, checked launch."""

import torch.nn.functional as F
from opwright import Dim, Extension, Operator, Tensor

rows = Dim("rows", typical=(1024, 4096), edge=(0, 1, 3, 65_536))
hidden = Dim("hidden", typical=(768, 1024), edge=(0, 1, 255, 257))

bias_gelu_extension = Operator(
    "bias_gelu_extension(Tensor input, Tensor bias) -> Tensor",
    inputs={"input": Tensor(rows, hidden), "bias": Tensor(hidden)},
    dtypes=("float32",),
    reference=lambda input, bias: F.gelu(input + bias, approximate="tanh"),
    extension=Extension(
        sources=("bias_gelu.cpp", "bias_gelu_kernel.cu"),
        call=lambda module, input, bias: module.forward(input, bias),
    ),
)
