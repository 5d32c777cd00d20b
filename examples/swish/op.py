"""Swish and its gradient as an extension for ROCm: grid-stride loops behind a dispatching wrapper."""

import torch
from opwright import Extension, Operator, Shape, Tensor

shape = Shape("shape", typical=((1024, 768),), edge=((), (0,), (1,), (7,), (3, 0, 2), (65_537,)))
SOURCES = ("swish_wrapper.cpp", "swish_kernel.hip")

swish_extension = Operator(
    "swish_extension(Tensor input) -> Tensor",
    inputs={"input": Tensor(shape)},
    dtypes=("float32", "float64"),
    reference=lambda input: input * torch.sigmoid(input),
    extension=Extension(
        sources=SOURCES,
        call=lambda module, input: module.forward(input),
    ),
)

swish_backward_extension = Operator(
    "swish_backward_extension(Tensor grad, Tensor input) -> Tensor",
    inputs={"grad": Tensor(shape), "input": Tensor(shape)},
    dtypes=("float32", "float64"),
    reference=torch.ops.aten.silu_backward,
    extension=Extension(
        sources=SOURCES,
        call=lambda module, grad, input: module.backward(grad, input),
    ),
)
