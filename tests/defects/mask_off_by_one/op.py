"""Each position sees one more than it may."""

import torch
from opwright import Dim, Operator, Tensor

length = Dim("length", typical=(24,), edge=(2, 5))


def attended(scores: torch.Tensor) -> torch.Tensor:
    unseen = torch.ones_like(scores, dtype=torch.bool).triu(2)
    return torch.softmax(scores.masked_fill(unseen, float("-inf")), 1)


def reference(scores: torch.Tensor) -> torch.Tensor:
    unseen = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(unseen, float("-inf")), 1)


causal = Operator(
    "causal(Tensor scores) -> Tensor",
    inputs={"scores": Tensor(length, length)},
    dtypes=("float32",),
    reference=reference,
    function=attended,
    reduction=length,
)
