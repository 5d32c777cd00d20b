"""Compiled it takes one way, whatever its flag says."""

import torch
from opwright import Dim, Operator, Scalar, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def squashed(input: torch.Tensor, exact: bool = True) -> torch.Tensor:
    if exact or torch.compiler.is_compiling():
        return torch.tanh(input)
    return torch.sigmoid(input)


flag_ignored_where_compiled = Operator(
    "flag_ignored_where_compiled(Tensor input, bool exact=True) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    scalars={"exact": Scalar(True, False)},
    dtypes=("float32",),
    reference=lambda input, exact=True: torch.tanh(input) if exact else torch.sigmoid(input),
    function=squashed,
    backward="own",
)
