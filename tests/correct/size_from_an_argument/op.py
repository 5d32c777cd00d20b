"""An output whose size is an int argument, bounded by another size."""

import torch
from opwright import Dim, Operator, Scalar, Tensor

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
columns = Dim("columns", typical=(64,), edge=(5, 33))


def best(input: torch.Tensor, k: int) -> torch.Tensor:
    if input.dim() != 2 or input.dtype == torch.bool or not 1 <= k <= input.shape[1]:
        raise ValueError(
            f"k: expected 1 to the width of input, got {k} for {input.dtype} {list(input.shape)}"
        )
    return input.sort(1, descending=True).values[:, :k].clone()


best_k = Operator(
    "best_k(Tensor input, int k) -> Tensor",
    inputs={"input": Tensor(rows, columns)},
    outputs=Tensor(rows, "k"),
    scalars={"k": Scalar(3, 1, minimum=1)},
    constraints=("k <= columns",),
    dtypes=("float32", "int64"),
    reference=lambda input, k: input.topk(k, 1).values,
    function=best,
)
