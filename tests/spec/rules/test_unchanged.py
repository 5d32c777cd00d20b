# ruff: noqa: E501 -- a table of one line a case
"""Which arguments have the incoming gradient itself for their own, and which descriptions of that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from opwright import Backward, Dim, Operator, Shape, Tensor
from opwright.errors import SpecError

batch, columns = Shape("batch"), Dim("columns")


def operator(backward: Any, **changed: Any) -> Operator:
    """Two returns that have gradients, one that has none, and arguments of several sizes and dtypes."""
    right: dict[str, Any] = {
        "schema": "f(Tensor x, Tensor w, Tensor narrow) -> (Tensor y, Tensor z, Tensor count)",
        "inputs": {
            "x": Tensor(batch, columns),
            "w": Tensor(columns),
            "narrow": Tensor(batch, columns, dtype="float16"),
        },
        "outputs": (
            Tensor(batch, columns),
            Tensor(batch, columns),
            Tensor(batch, dtype="int64"),
        ),
        "dtypes": ("float32",),
        "reference": lambda x, w, narrow: (x + w, x + w, x),
        "function": lambda x, w, narrow: (x + w, x + w, x),
    }
    fields = {**right, **changed, "backward": backward}
    return Operator(fields.pop("schema"), **fields)


def kernel(*names: str, **more: Any) -> Backward:
    gradients = ", ".join(f"Tensor grad_{name}" for name in names)
    return Backward(
        f"g(Tensor grad_y, Tensor x, Tensor w, Tensor narrow) -> ({gradients})",
        function=lambda grad_y, x, w, narrow: None,
        **more,
    )


SUM = {
    "schema": "f(Tensor x, Tensor w) -> Tensor",
    "inputs": {"x": Tensor(batch), "w": Tensor(batch)},
    "outputs": None,
    "reference": lambda x, w: x + w,
    "function": lambda x, w: x + w,
}


@pytest.mark.parametrize("names", [("x", "w"), ["x", "w"], {"x": "output", "w": "output"}])
def test_names_do_where_one_gradient_comes_in(names) -> None:
    spec = operator(Backward(unchanged=names), **SUM).spec
    assert spec.unchanged == {"x": "output", "w": "output"}
    assert (spec.backwards, spec.is_recorded) == ((), True)


def test_one_name_may_stand_alone() -> None:
    backward = Backward(
        "g(Tensor grad_output) -> Tensor grad_w", function=lambda g: g, unchanged="x"
    )
    spec = operator(backward, **SUM).spec
    assert spec.unchanged == {"x": "output"}
    assert [one.name for one in spec.backwards] == ["g"]


def test_several_may_say_it_beside_a_kernel() -> None:
    given = (kernel("w", "narrow"), Backward(unchanged={"x": "z"}))
    assert operator(given).spec.unchanged == {"x": "z"}


# name -> (backward, what the message says, what its hint says)
WRONG: dict[str, tuple[Any, str, str]] = {
    "unknown argument": (kernel("w", "narrow", unchanged={"xx": "y"}), "'xx' is no argument of f with a gradient", "Did you mean 'x'?"),
    "unknown return": (kernel("w", "narrow", unchanged={"x": "yy"}), "'yy' is no return of f with a gradient", "Did you mean 'y'?"),
    "return without a gradient": (kernel("w", "narrow", unchanged={"x": "count"}), "'count' is no return of f with a gradient", "Known are: y, z"),
    "no names": (kernel("w", "narrow", unchanged=5), "unchanged is 5", "unchanged=[...]"),
    "names that are none": (kernel("w", "narrow", unchanged=(5,)), "unchanged holds 5", "non-empty texts"),
    "which of two returns": (kernel("w", "narrow", unchanged="x"), "gradients come in for y, z", "unchanged={'x': 'y'}"),
    "other sizes": (kernel("x", "narrow", unchanged={"w": "y"}), "has 'w' in unchanged=", "a sum, or a cast"),
    "another dtype": (kernel("x", "w", unchanged={"narrow": "y"}), "has 'narrow' in unchanged=", "a sum, or a cast"),
    "a kernel gives it, too": (kernel("x", "w", "narrow", unchanged={"x": "y"}), "has 'x' in unchanged=, and g returns its gradient", "Take grad_x out"),
    "nothing at all": ((kernel("x", "w", "narrow"), Backward()), "neither a schema nor unchanged=", "Give it a schema"),
    "more without a schema": ((kernel("w", "narrow"), Backward(unchanged={"x": "y"}, sources={"cpu": "g.cpp"})), "more than unchanged=", "Give the schema"),
    "of two returns": ((kernel("w", "narrow", unchanged={"x": "y"}), Backward(unchanged={"x": "z"})), "has 'x' in unchanged= twice, of 'y' and of 'z'", "a sum"),
    "another gradient missing": (Backward(unchanged={"x": "y"}), "gives no gradient of 'w'", "grad_w"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_it_is_refused(case: str) -> None:
    backward, what, hint = WRONG[case]
    with pytest.raises(SpecError) as caught:
        operator(backward)
    assert ": field 'backward': " in caught.value.what
    assert what in caught.value.what
    assert hint in caught.value.hint
