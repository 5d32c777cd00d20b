"""The sum of two tensors of one shape; its gradients are the incoming one itself, so no kernel runs for them."""

from opwright import Backward, Operator, Shape, Tensor

shape = Shape(
    "shape", typical=((1024, 1024),), edge=((), (0,), (1,), (7,), (3, 0, 2), (2, 3, 5), (65_537,))
)

add2 = Operator(
    "add2(Tensor a, Tensor b) -> Tensor",
    inputs={"a": Tensor(shape, layout="copy"), "b": Tensor(shape, layout="copy")},
    dtypes=("float32", "bfloat16", "float16", "float64"),
    reference=lambda a, b: a + b,
    sources={"cpu": "add2.cpp", "cuda": "add2.cu", "hip": "add2.cu"},
    backward=Backward(unchanged=("a", "b")),
    autocast="widest",
    vmap=shape,
)
