"""Under autocast an operator's arguments get the dtype that it declares, and gradients the arguments' own."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from operator_folder import read_operator, write_operator

ADDED = """
op = Operator(
    "{name}(Tensor x, Tensor y, Tensor index) -> Tensor",
    inputs={{"x": Tensor(batch), "y": Tensor(batch), "index": Tensor(batch, dtype="int64")}},
    dtypes={dtypes}, reference=lambda x, y, index: x * y, function=lambda x, y, index: x * y,
    backward="reference", autocast={policy!r},
)
"""
ALL = ("float32", "bfloat16", "float16", "float64")
ONES = {dtype: torch.ones(3, dtype=getattr(torch, dtype)) for dtype in ALL}
INDEX = torch.zeros(3, dtype=torch.int64)


def make(folder: Path, policy: str | None, dtypes: tuple[str, ...] = ALL):
    name = f"cast_{policy}_{len(dtypes)}".lower()
    return read_operator(
        write_operator(folder, ADDED.format(name=name, policy=policy, dtypes=dtypes))
    )


@pytest.mark.parametrize("low", ["bfloat16", "float16"])
@pytest.mark.parametrize("call", ["operator", "torch.ops"])
@pytest.mark.parametrize(
    "policy, x, y, result",
    [
        ("lower", "float32", "float32", None),
        ("float32", "bfloat16", "float16", "float32"),
        ("widest", "bfloat16", "float32", "float32"),
        ("widest", "float16", "float16", "float16"),
        ("lower", "float64", "float64", "float64"),
    ],
)
def test_arguments_are_cast(tmp_path: Path, *, low, call, policy, x, y, result) -> None:
    op = make(tmp_path, policy).load()
    function = op if call == "operator" else op.implementation.overload
    arguments = [ONES[x].clone().requires_grad_(), ONES[y].clone().requires_grad_(), INDEX]
    with torch.autocast("cpu", getattr(torch, low)):
        out = function(*arguments)
    assert out.dtype == getattr(torch, result or low)
    out.float().sum().backward()
    assert [a.grad.dtype for a in arguments[:2]] == [a.dtype for a in arguments[:2]]
    assert arguments[0].grad.tolist() == [1, 1, 1]


def test_a_dtype_that_is_not_taken_is_not_cast_to(tmp_path: Path) -> None:
    op = make(tmp_path, "lower", ("float32",))
    with torch.autocast("cpu", torch.bfloat16):
        assert op(ONES["float32"], ONES["float32"], INDEX).dtype == torch.float32


def test_without_a_policy_arguments_come_as_they_are(tmp_path: Path) -> None:
    op = make(tmp_path, None)
    with torch.autocast("cpu", torch.bfloat16):
        assert op(ONES["float32"], ONES["float32"], INDEX).dtype == torch.float32
