"""Bias and GELU in one pass over the activations."""

import torch.nn.functional as F
from opwright import Dim, Operator, Scalar, Shape, Tensor

batch = Shape(
    "batch", typical=((1024,), (4096,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (65_536,))
)
hidden = Dim("hidden", typical=(768, 1024, 2048), edge=(0, 1, 255, 257))

bias_gelu = Operator(
    'bias_gelu(Tensor input, Tensor bias, str approximate="tanh") -> Tensor',
    inputs={"input": Tensor(batch, hidden, layout="copy"), "bias": Tensor(hidden, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    scalars={"approximate": Scalar("tanh", "none")},
    reference=lambda input, bias, approximate="tanh": F.gelu(input + bias, approximate=approximate),
    sources={"cpu": "bias_gelu.cpp", "cuda": "bias_gelu.cu", "hip": "bias_gelu.cu"},
)
