"""Declares its rows apart from each other, and takes off the mean of all."""

from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 5))

vmap_over_rows_that_depend = Operator(
    "vmap_over_rows_that_depend(Tensor input) -> Tensor",
    inputs={"input": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32",),
    reference=lambda input: input - input.mean(),
    function=lambda input: input - input.mean(),
    vmap=batch,
)
