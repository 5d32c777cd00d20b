"""The gradients of shipped operators against autograd of their references, on the CPU."""

from __future__ import annotations

from typing import Any, cast

import pytest
import torch

from opwright.discovery import find_one, installed_names
from opwright.operator import Operator

pytestmark = pytest.mark.slow  # two builds for each

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
# Where nothing cancels: relative to the largest of a gradient, and one rounding for half types.
TOLERANCE = {
    torch.float32: 2e-6,
    torch.bfloat16: 2**-8,
    torch.float16: 2**-11,
    torch.float64: 1e-13,
}
ROWS, HIDDEN = 37, 65
# What each takes beside tensors, and how many rows of its tensors are one row that all share.
ARGUMENTS: dict[str, tuple[tuple[bool, ...], tuple[Any, ...]]] = {
    "swish": ((False,), ()),
    "swiglu": ((False, False), ()),
    "bias_gelu": ((False, True), ("tanh",)),
    "rms_norm": ((False, True), (1e-6,)),
    "layer_norm": ((False, True, True), (1e-5,)),
    "bias_dropout_residual": ((False, True, False), (0.3, -7)),
}


def shipped(name: str) -> Operator:
    return cast("Operator", find_one(name))


def drawn(name: str, dtype: torch.dtype, rows: int = ROWS, hidden: int = HIDDEN) -> list[Any]:
    torch.manual_seed(0)
    shared = ARGUMENTS[name][0]
    sizes = [(hidden,) if is_shared else (rows, hidden) for is_shared in shared]
    return [torch.randn(size, dtype=torch.float64).to(dtype) for size in sizes]


def gradients(function: Any, tensors: list[torch.Tensor], scalars: Any, grad: Any) -> Any:
    leaves = [tensor.clone().requires_grad_() for tensor in tensors]
    return torch.autograd.grad(function(*leaves, *scalars), leaves, grad)


def test_each_operator_with_gradients_is_tested() -> None:
    assert {name for name in installed_names() if shipped(name).spec.backwards} == set(ARGUMENTS)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_finite_differences_agree(name: str) -> None:
    leaves = [tensor.requires_grad_() for tensor in drawn(name, torch.float64, 3, 5)]
    function, scalars = shipped(name), ARGUMENTS[name][1]
    assert torch.autograd.gradcheck(lambda *inputs: function(*inputs, *scalars), leaves)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("name", ARGUMENTS)
def test_gradients_are_those_of_the_reference(name: str, dtype: torch.dtype) -> None:
    operator, scalars = shipped(name), ARGUMENTS[name][1]
    tensors = drawn(name, dtype)
    grad = torch.randn(ROWS, HIDDEN, dtype=torch.float64).to(dtype)
    wide = [tensor.double() for tensor in tensors]
    oracles = gradients(operator.spec.reference, wide, scalars, grad.double())
    for actual, oracle in zip(gradients(operator, tensors, scalars, grad), oracles, strict=True):
        assert actual.dtype == dtype
        limit = TOLERANCE[dtype] * oracle.abs().max()
        assert (actual.double() - oracle).abs().max() <= limit


@pytest.mark.parametrize("name", ["layer_norm", "bias_dropout_residual"])
def test_a_sum_over_many_rows_does_not_stop_at_256(name: str) -> None:
    """In bfloat16 256 + 1 is 256."""
    tensors, scalars = drawn(name, torch.bfloat16, rows=4096), ARGUMENTS[name][1]
    if name == "bias_dropout_residual":
        scalars = (0.0, 0)
    grad = torch.ones(4096, HIDDEN, dtype=torch.bfloat16)
    of_bias = gradients(shipped(name), tensors, scalars, grad)[2 if name == "layer_norm" else 1]
    assert (of_bias == 4096).all()


def test_what_was_dropped_has_no_gradient() -> None:
    operator = shipped("bias_dropout_residual")
    x, zeros = torch.ones(ROWS, HIDDEN), torch.zeros(HIDDEN)
    residual = torch.zeros_like(x)
    kept = operator(x, zeros, residual, 0.3, -7)
    grads = gradients(operator, [x, zeros, residual], (0.3, -7), torch.ones_like(x))
    assert torch.equal(grads[0], kept)
    assert torch.equal(grads[2], torch.ones_like(x))
