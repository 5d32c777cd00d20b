"""Its rule for torch.vmap takes the samples of the second argument to lie where those of the first do."""

import torch
from opwright import Dim, Operator, Tensor

hidden = Dim("hidden", typical=(32,), edge=(1, 5))


@torch.library.custom_op("planted::shifted_product", mutates_args=())
def shifted_product(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x * (y + 1)


@shifted_product.register_vmap
def rule(info, in_dims, x, y):
    place = in_dims[0] if in_dims[0] is not None else in_dims[1]
    x = x.movedim(place, 0) if in_dims[0] is not None else x
    y = y.movedim(place, 0) if in_dims[1] is not None else y
    return shifted_product(x, y), 0


second_in_dim_ignored = Operator(
    "second_in_dim_ignored(Tensor input, Tensor other) -> Tensor",
    inputs={
        "input": Tensor(hidden, hidden, layout="copy"),
        "other": Tensor(hidden, hidden, layout="copy"),
    },
    dtypes=("float32",),
    reference=lambda input, other: input * (other + 1),
    function=shifted_product,
)
