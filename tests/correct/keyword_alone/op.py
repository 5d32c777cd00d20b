"""A scalar that comes by keyword alone, and a gradient that is the incoming one itself."""

import torch
from opwright import Backward, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((64,), (8, 32)), edge=((), (1,), (2, 3), (0,)))


def reference(input: torch.Tensor, residual: torch.Tensor, *, scale: float = 2.0) -> torch.Tensor:
    wide = torch.promote_types(input.dtype, torch.float32)
    return (input.to(wide) * scale + residual.to(wide)).to(input.dtype)


def scaled(input: torch.Tensor, residual: torch.Tensor, *, scale: float = 2.0) -> torch.Tensor:
    if input.shape != residual.shape or input.dtype != residual.dtype:
        raise ValueError(
            f"residual: expected {input.dtype} {list(input.shape)}, got {residual.dtype} {list(residual.shape)}"
        )
    return reference(input, residual, scale=scale).contiguous()


def backward(grad_output: torch.Tensor, scale: float) -> torch.Tensor:
    if grad_output.dtype not in (torch.float32, torch.bfloat16, torch.float64):
        raise TypeError(f"grad_output: expected a floating-point dtype, got {grad_output.dtype}")
    return (grad_output * scale).contiguous()


keyword_alone = Operator(
    "keyword_alone(Tensor input, Tensor residual, *, float scale=2.0) -> Tensor",
    inputs={"input": Tensor(batch, layout="copy"), "residual": Tensor(batch, layout="copy")},
    dtypes=("float32", "bfloat16", "float64"),
    scalars={"scale": Scalar(2.0, -0.5)},
    reference=reference,
    function=scaled,
    backward=Backward(
        "keyword_alone_backward(Tensor grad_output, float scale) -> Tensor grad_input",
        function=backward,
        unchanged="residual",
    ),
    autocast="widest",
    vmap=batch,
)
