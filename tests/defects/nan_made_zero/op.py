"""Makes zeros of NaN."""

import torch
import torch.nn.functional as F
from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(64,), edge=(1, 3, 17))


def act(input: torch.Tensor) -> torch.Tensor:
    return F.silu(input).nan_to_num(nan=0.0, posinf=torch.inf, neginf=-torch.inf)


operator = Operator(
    "act_op(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32", "bfloat16"),
    reference=F.silu,
    function=act,
)
