"""Bias and GELU in one pass over the activations."""

import torch
import torch.nn.functional as F
from opwright import Backward, Dim, Operator, Scalar, Shape, Tensor

batch = Shape(
    "batch", typical=((1024,), (4096,), (8, 128)), edge=((), (0,), (1,), (3,), (2, 3), (65_536,))
)
hidden = Dim("hidden", typical=(768, 1024, 2048), edge=(0, 1, 255, 257))


def reference(input: torch.Tensor, bias: torch.Tensor, approximate: str = "tanh") -> torch.Tensor:
    x = input + bias
    if x.dtype == torch.float64 and approximate == "tanh":
        # As exact as the oracle has to be: 1 + tanh(u), and its gradient, cancel for x < -5.
        return x * torch.sigmoid(1.5957691216057308 * (x + 0.044715 * x**3))
    return F.gelu(x, approximate=approximate)


bias_gelu = Operator(
    'bias_gelu(Tensor input, Tensor bias, str approximate="tanh") -> Tensor',
    inputs={"input": Tensor(batch, hidden, layout="copy"), "bias": Tensor(hidden, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    scalars={"approximate": Scalar("tanh", "none")},
    reference=reference,
    sources={"cpu": "bias_gelu.cpp", "cuda": "bias_gelu.cu", "hip": "bias_gelu.cu"},
    backward=Backward(
        "bias_gelu_backward(Tensor grad_output, Tensor input, Tensor bias, str approximate)"
        " -> (Tensor grad_input, Tensor grad_bias)",
        saved=("input", "bias"),
        sources={
            "cpu": "bias_gelu_backward.cpp",
            "cuda": "bias_gelu_backward.cu",
            "hip": "bias_gelu_backward.cu",
        },
    ),
    autocast="widest",
    vmap=batch,
)
