from __future__ import annotations

from typing import Any

import pytest
import torch

from checks.one_tensor import described
from opwright import Dim, Shape, Tensor
from opwright.checks import layouts
from opwright.checks.protocol import Subject
from opwright.inputs.layouts import LAYOUTS
from opwright.records.verdict import Outcome
from opwright.spec.case import Case

ROWS, COLUMNS = Dim("rows", typical=(3,), edge=()), Dim("columns", typical=(5, 200, 65), edge=())


def dense_only(x: torch.Tensor) -> torch.Tensor:
    if not x.is_contiguous():
        raise ValueError("input: expected a contiguous tensor")
    return x.exp()


def planned(layout: str = "contiguous", *sizes: Any) -> dict[str, Case]:
    spec = described(
        torch.exp,
        inputs={"input": Tensor(*(sizes or (ROWS, COLUMNS)), layout=layout)},
        dtypes=("float32",),
    )
    return {case.name: case for case in layouts.cases(spec)}


def outcome(function: Any, declared: str, laid_out: str, *sizes: Any) -> Outcome:
    spec = described(
        torch.exp,
        inputs={"input": Tensor(*(sizes or (ROWS, COLUMNS)), layout=declared)},
        dtypes=("float32",),
    )
    case = next(c for c in layouts.cases(spec) if c.layouts["input"] == laid_out)
    return layouts.run(case, Subject(spec, function))


def test_views_are_tried_at_short_rows_and_at_rows_that_enter_vector_code() -> None:
    names = planned()
    assert "rows=3,columns=5 float32 input transposed" in names
    assert "rows=3,columns=65 float32 input transposed" in names
    assert "rows=3,columns=65 float32 input offset 1" in names
    assert "rows=3,columns=5 float32 input offset 1" not in names


def test_every_layout_is_planned_for_a_tensor_that_has_room_for_it() -> None:
    images = planned("copy", Shape("image", typical=((2, 3, 4, 5),), edge=()))
    assert {case.layouts["input"] for case in images.values()} == set(LAYOUTS)


@pytest.mark.parametrize(
    "declared, laid_out, verdict",
    [
        ("contiguous", "offset 1", "pass"),
        ("contiguous", "transposed", "pass"),  # refused, as it may be
        ("copy", "transposed", "fail"),
        ("strided", "transposed", "fail"),
        ("strided", "expanded", "fail"),
    ],
)
def test_a_refusal_is_right_where_the_description_promises_nothing(
    declared: str, laid_out: str, verdict: str
) -> None:
    found = outcome(dense_only, declared, laid_out)
    assert found.verdict == verdict
    assert [finding.kind for finding in found.findings] == ["refuses an allowed layout"] * (
        verdict == "fail"
    )


def test_leading_dimensions_that_cannot_be_read_as_one_may_be_refused_by_a_strided_shape() -> None:
    batch = Shape("batch", typical=((3, 4),), edge=())
    assert outcome(dense_only, "strided", "every second row", batch, 5).verdict == "pass"
    assert outcome(dense_only, "strided", "step 2", batch, 5).verdict == "fail"


def test_a_refusal_by_accident_is_a_finding_everywhere() -> None:
    def accident(x: torch.Tensor) -> torch.Tensor:
        return x.exp() if x.is_contiguous() else {}[x.stride()]

    assert outcome(accident, "contiguous", "transposed").findings[0].kind == "unclear refusal"


def test_a_wrong_result_says_how_the_argument_lay_in_memory() -> None:
    def from_the_start(x: torch.Tensor) -> torch.Tensor:
        return torch.as_strided(x, x.shape, x.stride(), 0).exp()

    finding = outcome(from_the_start, "contiguous", "offset 3").findings[0]
    assert finding.kind == "wrong on a layout"
    assert (
        "argument `input` with shape [3, 65], strides [65, 1], storage offset 3: output:"
        in finding.message
    )
    assert finding.details["layouts"] == {"input": "offset 3"}
    assert finding.details["kind"] == "inaccurate"


def test_a_dense_call_that_is_wrong_too_acquits_the_layout() -> None:
    (finding,) = outcome(lambda x: x.contiguous().exp() + 1, "copy", "transposed").findings
    assert finding.kind == "inaccurate"
    assert "the same values laid out densely give a wrong result too" in finding.message


def test_a_layout_that_alone_is_wrong_is_blamed_also_where_dense_calls_have_other_faults() -> None:
    def columns_of_rows(x: torch.Tensor) -> torch.Tensor:
        right = torch.as_strided(x, x.shape, (x.shape[1], 1), 0).exp()
        return right.t().contiguous().t()

    (*_, finding) = outcome(columns_of_rows, "copy", "transposed").findings
    assert finding.kind == "wrong on a layout"


@pytest.mark.parametrize("declared, kinds", [("copy", ["output is not dense"]), ("contiguous", [])])
def test_outputs_have_to_be_dense_where_the_layout_is_promised(
    declared: str, kinds: list[str]
) -> None:
    found = outcome(torch.exp, declared, "transposed")
    assert [finding.kind for finding in found.findings] == kinds
