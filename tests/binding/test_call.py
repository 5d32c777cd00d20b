"""Calls through the operator object leave grad mode as they found it, and lose no gradient."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from operator_folder import DOUBLED, read_operator, write_operator
from opwright.binding.call import quick_call


@pytest.fixture
def spec(tmp_path: Path):
    return read_operator(write_operator(tmp_path, DOUBLED.format(name="moded"))).spec


def seen_mode(*args, **kwargs):
    return torch.is_grad_enabled()


def test_grad_mode_is_off_where_nothing_is_recorded(spec):
    assert quick_call(spec, seen_mode)(torch.ones(1), 2, "text", key=torch.ones(1)) is False
    assert torch.is_grad_enabled()


@pytest.mark.parametrize("by", ["position", "keyword"])
def test_a_required_gradient_is_refused(spec, by):
    x = torch.ones(1, requires_grad=True)
    call = quick_call(spec, seen_mode)
    with pytest.raises(RuntimeError, match="moded: argument `x` requires grad"):
        call(x) if by == "position" else call(x=x)
    assert torch.is_grad_enabled()


def test_grad_mode_comes_back_after_an_error(spec):
    def fail(*args):
        raise ValueError("planted")

    with pytest.raises(ValueError, match="planted"):
        quick_call(spec, fail)(torch.ones(1))
    assert torch.is_grad_enabled()


def test_no_grad_mode_is_left_alone(spec):
    with torch.no_grad():
        assert quick_call(spec, seen_mode)(torch.ones(1, requires_grad=True)) is False
        assert not torch.is_grad_enabled()


TRANSFORMS = {
    "grad": lambda f, x: torch.func.grad(lambda x: f(x).sum())(x),
    "vjp": torch.func.vjp,
    "jvp": lambda f, x: torch.func.jvp(f, (x,), (x,)),
    "jacrev": lambda f, x: torch.func.jacrev(f)(x),
    "grad of an intermediate": lambda f, x: torch.func.grad(lambda x: f(x * 2).sum())(x),
}


@pytest.mark.parametrize("through", ["the operator", "torch.ops"])
@pytest.mark.parametrize("transform", TRANSFORMS)
def test_gradients_of_transforms_are_refused(stable_ops, transform, through):
    spread = stable_ops.spread
    if through == "torch.ops":
        spread = spread.implementation.overload

    def f(x):
        return spread(torch.zeros(2, 3), x)[0]

    lost = "has a forward-mode gradient" if transform == "jvp" else "requires grad"
    with pytest.raises(RuntimeError, match=f"argument `y` {lost}, and the operator has no"):
        TRANSFORMS[transform](f, torch.ones(2, 3))


def test_a_transform_of_something_else_may_call_it(stable_ops):
    y = torch.ones(2, 3)
    grad = torch.func.grad(lambda x: (x * stable_ops.spread(torch.zeros(2, 3), y)[0]).sum())(
        torch.ones(2, 3)
    )
    assert torch.equal(grad, -y)
