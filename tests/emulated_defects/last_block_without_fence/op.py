"""The last block adds up what the others wrote, and nobody has a fence."""

from opwright import Dim, Operator, Tensor

n = Dim("n", typical=(512,), edge=(1, 3, 300))

last_block_without_fence = Operator(
    "last_block_without_fence(Tensor input) -> Tensor",
    inputs={"input": Tensor(n)},
    outputs=Tensor(1),
    dtypes=("float32",),
    reference=lambda input: input.sum()[None],
    sources={"cuda": "kernel.cu"},
    reduction="n",
)
