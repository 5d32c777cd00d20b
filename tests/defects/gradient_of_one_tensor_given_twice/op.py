"""Gives one gradient where both arguments are the same tensor."""

import torch
from opwright import Dim, Operator, Shape, Tensor

batch = Shape("batch", typical=((64,),), edge=((2, 3), (1,)))
hidden = Dim("hidden", typical=(32,), edge=(1, 3))


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        ctx.same = a is b
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad * b, None if ctx.same else grad * a


gradient_of_one_tensor_given_twice = Operator(
    "gradient_of_one_tensor_given_twice(Tensor a, Tensor b) -> Tensor",
    inputs={"a": Tensor(batch, hidden, layout="copy"), "b": Tensor(batch, hidden, layout="copy")},
    dtypes=("float32", "float64"),
    reference=torch.mul,
    function=Product.apply,
    backward="own",
)
