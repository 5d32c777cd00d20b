"""Which sizes are tried."""

from __future__ import annotations

import itertools
from typing import Any

from opwright import Dim, Operator, Shape, Tensor
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import (
    allowed,
    assignments,
    has_empty,
    label,
    roomy_size_sets,
    size_sets,
)

rows = Dim("rows", typical=(16,), edge=(0, 1, 3))
cols = Dim("cols", typical=(8,), edge=(1, 5))


def spec(*sizes: Any, **more: Any) -> OperatorSpec:
    return Operator(
        "f(Tensor x) -> Tensor", inputs={"x": Tensor(*sizes)}, dtypes=("float32",), reference=max,
        sources={"cpu": "k.cpp"}, **more,
    ).spec  # fmt: skip


def test_every_declared_size_is_tried() -> None:
    plain = spec(rows, cols)
    tried = size_sets(plain, {}, count=100)
    assert {sizes["rows"] for sizes in tried} == {1, 3, 16}
    assert {sizes["cols"] for sizes in tried} == {1, 5, 8}
    empty = size_sets(plain, {}, count=100, empty=True)
    assert {sizes["rows"] for sizes in empty} == {0}
    assert all(has_empty(plain, sizes, {}) for sizes in empty)


def test_all_assignments_are_listed_where_they_are_few() -> None:
    listed, complete = assignments(spec(rows, cols))
    assert complete
    expected = [
        dict(zip(("rows", "cols"), pair, strict=True))
        for pair in itertools.product((16, 0, 1, 3), (8, 1, 5))
    ]
    assert listed == expected
    many = [Dim(name, typical=tuple(range(1, 9))) for name in "abcdef"]
    drawn, complete = assignments(spec(*many))
    assert not complete
    assert drawn == assignments(spec(*many))[0]  # the same ones every time


def test_constraints_and_bounds_are_kept() -> None:
    constrained = spec(rows, cols, constraints=("rows > cols",))
    tried = size_sets(constrained, {}, count=100)
    assert tried
    assert all(sizes["rows"] > sizes["cols"] for sizes in tried)
    assert not allowed(constrained, {"rows": 16, "cols": 8}, {}, max_elements=100)
    assert allowed(constrained, {"rows": 16, "cols": 8}, {}, max_elements=128)


def test_an_output_of_negative_size_is_not_tried() -> None:
    shrunk = spec(rows, cols, outputs=Tensor("rows - 2"))
    tried = size_sets(shrunk, {}, count=100) + size_sets(shrunk, {}, count=100, empty=True)
    assert {sizes["rows"] for sizes in tried} == {3, 16}


def test_roomy_sizes_are_more_than_one() -> None:
    assert all(min(sizes.values()) > 1 for sizes in roomy_size_sets(spec(rows, cols), {}, count=3))


def test_labels_are_short() -> None:
    assert label({"rows": 4, "batch": (2, 3), "none": ()}) == "rows=4,batch=2x3,none=()"
    assert label({}) == "-"


def test_shapes_are_tried_whole() -> None:
    batch = Shape("batch", typical=((4, 4),), edge=((), (0,), (2, 3)))
    assert [sizes["batch"] for sizes in size_sets(spec(batch), {}, count=9)] == [(4, 4), (), (2, 3)]
