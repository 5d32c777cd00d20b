"""A scaled input plus a bias, row by row: replace it with an operator of your own."""

import torch

from opwright import Dim, Operator, Scalar, Shape, Tensor

# Sizes by name. `typical` ones are those of real use, `edge` ones those that break kernels.
# A Shape stands for any number of leading dimensions, a Dim for one.
batch = Shape("batch", typical=((512,), (8, 64)), edge=((), (0,), (1,), (3, 5)))
hidden = Dim("hidden", typical=(768, 1024), edge=(0, 1, 7, 255, 257))


def reference(input: torch.Tensor, bias: torch.Tensor, scale: float = 1.0) -> torch.Tensor:
    """The right answer, written with PyTorch: clear, not fast."""
    return input * scale + bias


my_op = Operator(
    "my_op(Tensor input, Tensor bias, float scale=1.0) -> Tensor",
    inputs={"input": Tensor(batch, hidden), "bias": Tensor(hidden)},
    dtypes=("float32", "bfloat16", "float16"),
    scalars={"scale": Scalar(1.0, -0.5)},  # values to try
    reference=reference,
    sources={"cpu": "my_op.cpp", "cuda": "my_op.cu", "hip": "my_op.cu"},
)
