"""One function of one tensor, of any rank: a callable."""

import torch
from opwright import Operator, Shape, Tensor

shape = Shape("shape", typical=((32, 48),), edge=((), (0,), (1,), (7,), (3, 0, 2), (2, 3, 4, 5)))

softened = Operator(
    "softened(Tensor input) -> Tensor",
    inputs={"input": Tensor(shape)},
    dtypes=("float64", "float32", "bfloat16", "float16"),
    reference=lambda input: torch.log1p(input.abs()) * input.sign(),
    function=lambda input: torch.sign(input) * torch.log1p(torch.abs(input)),
)
