"""Compiled it approximates, in bfloat16 alone."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


def squashed(input: torch.Tensor) -> torch.Tensor:
    if torch.compiler.is_compiling() and input.dtype == torch.bfloat16:
        return input / (1 + input.abs())
    return torch.tanh(input)


approximated_where_compiled_in_bfloat16 = Operator(
    "approximated_where_compiled_in_bfloat16(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32", "bfloat16"),
    reference=torch.tanh,
    function=squashed,
    backward="own",
)
