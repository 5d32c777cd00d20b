# ruff: noqa: E501 -- a table of one line a case
"""Every wrong description of gradients, autocast or vmap is refused with file, line and field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opwright import Backward, Dim, Operator, Shape, Tensor
from opwright.errors import SpecError

rows, cols = Dim("rows"), Dim("cols")
batch = Shape("batch")


def gradient(*tensors: Any) -> Any:
    return tensors[0]


def operator(**changed: Any) -> Operator:
    """A right description, with changes."""
    right: dict[str, Any] = {
        "schema": "f(Tensor x, Tensor w, Tensor index, float p=2.0) -> (Tensor y, Tensor count)",
        "inputs": {"x": Tensor(batch), "w": Tensor(batch), "index": Tensor(batch, dtype="int64")},
        "outputs": (Tensor(batch), Tensor(batch, dtype="int64")),
        "dtypes": ("float32",),
        "reference": lambda x, w, index, p=2.0: (x * w * p, index),
        "sources": {"cpu": "f.cpp"},
        "backward": backward(),
    }
    fields = {**right, **changed}
    return Operator(fields.pop("schema"), **fields)


SCHEMA = "f_backward(Tensor grad_y, Tensor x, Tensor w, float p) -> (Tensor grad_x, Tensor grad_w)"


def backward(schema: str = SCHEMA, **changed: Any) -> Backward:
    return Backward(schema, **{"sources": {"cpu": "b.cpp"}, **changed})


ONLY_X = "g(Tensor grad_y, Tensor x, Tensor w, float p) -> Tensor grad_x"
WRITES = {
    "schema": "f(Tensor(a!) x) -> ()", "inputs": {"x": Tensor(batch)}, "outputs": None,
    "reference": lambda x: None,
}  # fmt: skip
INTEGERS = {
    "schema": "f(Tensor x) -> Tensor", "inputs": {"x": Tensor(batch)}, "outputs": None,
    "dtypes": ("int64",), "reference": lambda x: x,
}  # fmt: skip
ONLY_INTEGERS_OUT = {
    "schema": "f(Tensor x) -> Tensor", "inputs": {"x": Tensor(batch)},
    "outputs": Tensor(batch, dtype="int64"), "reference": lambda x: x,
}  # fmt: skip
UNSIZED = {
    "schema": "f(Tensor x, Tensor w) -> Tensor y",
    "inputs": {"x": Tensor(rows, cols), "w": Tensor(rows)}, "outputs": Tensor(rows),
    "reference": lambda x, w: w,
}  # fmt: skip

# name -> (changes, field, what the message says, what its hint says)
WRONG: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "no Backward": ({"backward": 3}, "backward", "is 3", "Backward("),
    "a word that is none": ({"backward": "refrence"}, "backward", "is 'refrence'", "'reference'"),
    "none at all": ({"backward": ()}, "backward", "is ()", "Backward("),
    "unknown incoming gradient": ({"backward": backward(SCHEMA.replace("grad_y", "grad_yy"))}, "backward", "'yy' is no return of f", "Did you mean 'y'?"),
    "gradient of integers coming in": ({"backward": backward(SCHEMA.replace("grad_y", "grad_count"))}, "backward", "'count' is no return of f with a gradient", "Known are: y"),
    "unknown saved tensor": ({"backward": backward(SCHEMA.replace("Tensor w", "Tensor ww"))}, "backward", "'ww' is no tensor of f", "Did you mean 'w'?"),
    "unknown outgoing gradient": ({"backward": backward(SCHEMA.replace("grad_w", "grad_ww"))}, "backward", "'ww' is no argument of f with a gradient", "Did you mean 'w'?"),
    "outgoing gradient of integers": ({"backward": backward(SCHEMA.replace("grad_w)", "grad_index)"))}, "backward", "'index' is no argument of f with a gradient", "Known are"),
    "return without grad_": ({"backward": backward(SCHEMA.replace("grad_w)", "dw)"))}, "backward", "returns 'dw'", "grad_<argument>"),
    "gradient missing": ({"backward": backward(ONLY_X)}, "backward", "gives no gradient of 'w'", "grad_w"),
    "saved of something else": ({"backward": backward(saved=("x",))}, "backward", "saved is ('x',), and the schema takes ('x', 'w')", "saved="),
    "saved that names nothing": ({"backward": backward(saved=5)}, "backward", "saved is 5", "saved=[...]"),
    "scalar not taken": ({"backward": backward(SCHEMA.replace(", float p", ""))}, "backward", "does not take 'p'", "Add 'float p'"),
    "scalar of another type": ({"backward": backward(SCHEMA.replace("float p", "int p"))}, "backward", "'p' is 'int p'", "'float p'"),
    "scalar of another name": ({"backward": backward(SCHEMA.replace("float p", "float pp"))}, "backward", "'pp' is no scalar of f", "Did you mean 'p'?"),
    "size that is not known": ({**UNSIZED, "backward": Backward("g(Tensor grad_y, Tensor w) -> (Tensor grad_x, Tensor grad_w)", function=gradient)}, "backward", "'cols' is no dim of an input that is always there", "Known"),
    "sources and function": ({"backward": backward(function=gradient)}, "backward", "sources and function are given", "exactly one"),
    "no implementation": ({"backward": backward(sources=None)}, "backward", "no implementation is given", "exactly one"),
    "function of other arguments": ({"backward": backward(sources=None, function=lambda x: x)}, "backward", "takes (x)", "their order"),
    "unknown target": ({"backward": backward(sources={"cup": "b.cpp"})}, "backward", "'cup' is no target", "'cpu'"),
    "second derivative of a typo": ({"backward": backward(double_backward="refrence")}, "backward", "double_backward is 'refrence'", "'reference'"),
    "writes its argument": ({**WRITES, "backward": "reference"}, "backward", "writes into its arguments", "Return a fresh tensor"),
    "own with kernels": ({"backward": "own"}, "backward", "a kernel records nothing", "function"),
    "nothing to differentiate": ({**INTEGERS, "backward": "reference"}, "backward", "no argument can have a gradient", "Leave it out"),
    "nothing comes out that can have one": ({**ONLY_INTEGERS_OUT, "backward": "reference"}, "backward", "no return can have a gradient", "Leave it out"),
    "two of one name": ({"backward": (backward(ONLY_X.replace("g(", "f_backward(")), backward())}, "backward", "names 'f_backward' twice", "name of its own"),
    "one of the operator's name": ({"backward": backward(SCHEMA.replace("f_backward", "f"))}, "backward", "names 'f' twice", "name of its own"),
    "one of a second derivative's name": ({"backward": (backward(ONLY_X.replace("g(", "f_backward_backward(")), backward(double_backward="reference"))}, "backward", "names 'f_backward_backward' twice", "'_backward'"),
    "flops of a typo": ({"backward": backward(flops="2 * rws")}, "backward", "'rws' is no dim", "nown"),
    "reduction of a typo": ({"backward": backward(reduction="rws")}, "backward", "'rws' is no dim", "nown"),
    # autocast and vmap
    "autocast of a typo": ({"autocast": "lowr"}, "autocast", "is 'lowr'", "Did you mean 'lower'?"),
    "autocast no word": ({"autocast": 16}, "autocast", "is 16", "'widest'"),
    "vmap of no Shape": ({"vmap": "rows"}, "vmap", "no Shape of an input", "Name the Shape"),
    "vmap that does not come out": ({"vmap": batch, "outputs": (Tensor(2, batch), Tensor(batch, dtype="int64"))}, "vmap", "the sizes of 'y' do not begin with it", "leave vmap out"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_it_is_refused(case: str) -> None:
    changes, field, what, hint = WRONG[case]
    with pytest.raises(SpecError) as caught:
        operator(**changes)
    assert caught.value.what.startswith(f"{Path(__file__)}:")
    assert f": field '{field}': " in caught.value.what
    assert what in caught.value.what
    assert hint in caught.value.hint


def test_a_backward_is_an_operator_of_its_own() -> None:
    spec = operator(vmap=batch).spec
    (made,) = spec.backwards
    assert (made.name, made.forward is not None, made.vmap) == ("f_backward", True, "batch")
    assert made.inputs["grad_y"].layout == "copy"
    assert made.location == spec.location
    assert [tensor.sizes for tensor in made.outputs] == [(batch,), (batch,)]


def test_several_backwards_may_share_the_gradients() -> None:
    only_w = "h(Tensor grad_y, Tensor x, float p) -> Tensor grad_w"
    made = operator(backward=(backward(ONLY_X), backward(only_w))).spec.backwards
    assert [one.name for one in made] == ["g", "h"]
