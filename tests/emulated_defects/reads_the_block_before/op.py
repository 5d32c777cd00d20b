"""Takes for granted that the block before is done."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

reads_the_block_before = Operator(
    "reads_the_block_before(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    dtypes=("float32",),
    reference=lambda input: input.cumsum(0),
    sources={"cuda": "kernel.cu"},
    reduction="n",
)
