"""Hands the gradient on as it came in for an argument of which the largest numbers are cut off."""

from opwright import Backward, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,), (8, 32)), edge=((1,), (3,), (2, 3)))

gradient_unchanged_of_a_clamped_argument = Operator(
    "gradient_unchanged_of_a_clamped_argument(Tensor input, Tensor residual) -> Tensor",
    inputs={"input": Tensor(batch, layout="copy"), "residual": Tensor(batch, layout="copy")},
    dtypes=("float32", "bfloat16", "float64"),
    reference=lambda input, residual: input + residual.clamp(-6, 6),
    function=lambda input, residual: (input + residual.clamp(-6, 6)).contiguous(),
    backward=Backward(unchanged=("input", "residual")),
    vmap=batch,
)
