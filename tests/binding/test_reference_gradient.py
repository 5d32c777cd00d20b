"""Gradients worked out from a reference are autograd's, whatever of the operator's arguments is saved."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from operator_folder import read_operator, write_operator

REFERENCE = """
from opwright import Backward, Dim
rows = Dim("rows", typical=(3,), edge=(0, 1))

def reference(x, weight, index, shift=None, factor=1.0):
    moved = x * weight * factor
    return (moved if shift is None else moved + shift), x.sum(0)

gradients_of = Operator(
    "{name}(Tensor x, Tensor weight, Tensor index, Tensor? shift=None, float factor=1.0) -> (Tensor y, Tensor z)",
    inputs={{
        "x": Tensor(rows, batch), "weight": Tensor(batch), "index": Tensor(rows, dtype="int64"),
        "shift": Tensor(batch),
    }},
    outputs=(Tensor(rows, batch), Tensor(batch)),
    dtypes=("float32", "float64"),
    scalars={{"factor": Scalar(1.0, 2.0)}},
    reference=reference,
    function=reference,
    backward=Backward({schema!r}, function=lambda *a, **k: None),
)
"""
WHOLE = (
    "whole_backward(Tensor grad_y, Tensor grad_z, Tensor x, Tensor weight, Tensor? shift, float factor)"
    " -> (Tensor grad_x, Tensor grad_weight, Tensor grad_shift)"
)
# It takes neither x nor shift: no gradient that it gives depends on them.
PARTIAL = (
    "partial_backward(Tensor grad_y, Tensor grad_z, Tensor x, Tensor weight, float factor)"
    " -> (Tensor grad_x, Tensor grad_weight, Tensor grad_shift)"
)


def described(folder: Path, name: str, schema: str):
    text = REFERENCE.format(name=name, schema=schema)
    spec = read_operator(write_operator(folder, text)).spec
    return spec, spec.backwards[0].reference


def autograd(spec, leaves, grads, factor):
    index = torch.zeros(leaves["x"].shape[0], dtype=torch.int64)
    results = spec.reference(leaves["x"], leaves["weight"], index, leaves["shift"], factor)
    return torch.autograd.grad(results, list(leaves.values()), grads, create_graph=True)


@pytest.fixture
def drawn() -> tuple[dict[str, torch.Tensor], list[torch.Tensor]]:
    generator = torch.Generator().manual_seed(1)

    def one(*sizes: int) -> torch.Tensor:
        return torch.randn(*sizes, generator=generator, dtype=torch.float64)

    leaves = {"x": one(3, 5), "weight": one(5), "shift": one(5)}
    return {n: v.requires_grad_() for n, v in leaves.items()}, [one(3, 5), one(5)]


def test_every_gradient_is_autograds(tmp_path: Path, drawn) -> None:
    leaves, grads = drawn
    spec, gradient = described(tmp_path, "whole", WHOLE)
    with torch.no_grad():
        found = gradient(*grads, leaves["x"], leaves["weight"], leaves["shift"], 2.0)
    for one, right in zip(found, autograd(spec, leaves, grads, 2.0), strict=True):
        assert torch.equal(one, right)
        assert not one.requires_grad


def test_what_is_not_saved_is_made_of_the_sizes_that_are(tmp_path: Path, drawn) -> None:
    leaves, grads = drawn
    spec, gradient = described(tmp_path, "partial", PARTIAL)
    found = gradient(*grads, leaves["x"], leaves["weight"], factor=2.0)
    for one, right in zip(found, autograd(spec, leaves, grads, 2.0), strict=True):
        assert torch.equal(one, right)


def test_an_undefined_gradient_counts_for_nothing_and_an_absent_argument_gets_zeros(
    tmp_path: Path, drawn
) -> None:
    leaves, grads = drawn
    _, gradient = described(tmp_path, "whole", WHOLE)
    grad_x, grad_weight, grad_shift = gradient(
        grads[0], None, leaves["x"], leaves["weight"], None, 2.0
    )
    assert torch.equal(grad_x, grads[0] * leaves["weight"] * 2)
    assert torch.allclose(grad_weight, (grads[0] * leaves["x"] * 2).sum(0))
    assert grad_shift.tolist() == [0] * 5


def test_integers_alone_are_refused_by_name(tmp_path: Path, drawn) -> None:
    _, grads = drawn
    schema = PARTIAL.replace("partial", "bare").replace(" Tensor x, Tensor weight,", "")
    _, gradient = described(tmp_path, "bare", schema)
    with pytest.raises(
        TypeError, match=r"expected a floating-point tensor, got `grad_y` as torch\.int64"
    ):
        gradient(*(grad.long() for grad in grads), factor=2.0)


def test_it_can_be_differentiated_where_autograd_records(tmp_path: Path, drawn) -> None:
    leaves, grads = drawn
    spec, gradient = described(tmp_path, "whole", WHOLE)
    sources = [leaves["x"], leaves["weight"]]
    found = gradient(*grads, leaves["x"], leaves["weight"], leaves["shift"], 2.0)[:2]
    right = autograd(spec, leaves, grads, 2.0)[:2]
    ones = [torch.ones_like(one) for one in found]
    for one, other in zip(
        torch.autograd.grad(found, sources, ones),
        torch.autograd.grad(right, sources, ones),
        strict=True,
    ):
        assert torch.equal(one, other)
