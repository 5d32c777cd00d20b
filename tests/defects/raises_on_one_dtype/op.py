"""A declared dtype for which there is no kernel."""

import torch
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 7))


def triple(input: torch.Tensor) -> torch.Tensor:
    if input.dtype == torch.float16:
        raise RuntimeError("\"triple\" not implemented for 'Half'")
    return 3 * input


triple_op = Operator(
    "triple_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "float16"),
    reference=lambda input: 3 * input,
    function=triple,
)
