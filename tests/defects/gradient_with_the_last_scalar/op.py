"""Keeps its scalar on the class, so that the last call's is used by every backward."""

import torch
from opwright import Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


class Scaled(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        Scaled.factor = factor
        return x * factor

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        return grad * Scaled.factor, None


gradient_with_the_last_scalar = Operator(
    "gradient_with_the_last_scalar(Tensor input, float factor=1.0) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    scalars={"factor": Scalar(1.0, 0.5)},
    dtypes=("float32", "float64"),
    reference=lambda input, factor=1.0: input * factor,
    function=lambda input, factor=1.0: Scaled.apply(input, factor),
    backward="own",
)
