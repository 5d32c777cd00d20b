"""Three inputs of rank 3, a mask made inside, and two products."""

import torch
from opwright import Dim, Operator, Tensor

heads = Dim("heads", typical=(2,), edge=(1,))
length = Dim("length", typical=(32,), edge=(1, 5))
width = Dim("width", typical=(16,), edge=(4,))


def attention(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    for name, tensor in (("query", query), ("key", key), ("value", value)):
        if tensor.dtype != torch.float32 or tensor.dim() != 3 or tensor.shape != query.shape:
            raise ValueError(
                f"{name}: expected float32 {list(query.shape)}, got {tensor.dtype} {list(tensor.shape)}"
            )
    scores = query @ key.transpose(1, 2) / query.shape[2] ** 0.5
    unseen = torch.ones(query.shape[1], query.shape[1], dtype=torch.bool).triu(1)
    return torch.softmax(scores.masked_fill(unseen, float("-inf")), 2) @ value


def reference(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)


causal_attention = Operator(
    "causal_attention(Tensor query, Tensor key, Tensor value) -> Tensor",
    inputs={
        "query": Tensor(heads, length, width, range=(-4.0, 4.0)),
        "key": Tensor(heads, length, width, range=(-4.0, 4.0)),
        "value": Tensor(heads, length, width, range=(-4.0, 4.0)),
    },
    outputs=Tensor(heads, length, width),
    dtypes=("float32",),
    constraints=("length <= 4096",),  # of its square there are as many scores
    reference=reference,
    function=attention,
    reduction=length * width,
)
