"""Takes a row's maximum by comparisons that lose NaN."""

import torch
from opwright import Dim, Operator, Tensor

rows = Dim("rows", typical=(8,), edge=(3, 5))
columns = Dim("columns", typical=(64,), edge=(17,))


def peak(input: torch.Tensor) -> torch.Tensor:
    return input.nan_to_num(nan=-torch.inf, posinf=torch.inf, neginf=-torch.inf).amax(1)


operator = Operator(
    "peak_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    dtypes=("float32",),
    reference=lambda input: input.amax(1),
    function=peak,
    outputs=Tensor(rows),
)
