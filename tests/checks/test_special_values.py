from __future__ import annotations

import math

import pytest
import torch

from checks.one_tensor import COLUMNS, ROWS, described, subject
from opwright import Tensor
from opwright.checks import special_values
from opwright.checks.protocol import Subject
from opwright.records.verdict import Outcome


def outcomes(one: Subject) -> dict[str, Outcome]:
    return {case.name: special_values.run(case, one) for case in special_values.cases(one.spec)}


def test_every_value_of_a_half_type_goes_through_an_elementwise_operator() -> None:
    found = outcomes(subject(torch.sigmoid, torch.sigmoid))
    assert {outcome.verdict for outcome in found.values()} == {"pass"}
    regions = found["bfloat16 input swept"].figures["regions"]["output"]
    assert sum(region["elements"] for region in regions.values()) == 1 << 16


def test_one_wrong_value_among_all_is_found_and_told() -> None:
    def wrong_at_three(value: torch.Tensor) -> torch.Tensor:
        return torch.where(value == 3, 0, -value)

    found = outcomes(subject(wrong_at_three, lambda x: -x))["bfloat16 input swept"]
    assert found.findings[0].details["input_value"] == "3.0"


def test_nan_that_is_lost_in_a_row_is_found() -> None:
    def total(value: torch.Tensor) -> torch.Tensor:
        return value.nan_to_num(nan=0.0).sum(1)

    one = subject(
        total, lambda x: x.sum(1), outputs=Tensor(ROWS), reduction="columns", dtypes=("float32",)
    )
    (found,) = outcomes(one).values()
    assert "with NaN in `input`" in found.findings[0].message


def test_a_declared_range_bounds_what_counts() -> None:
    def right_to_two(value: torch.Tensor) -> torch.Tensor:
        return torch.where(value.abs() <= 2, -value, math.nan)

    inputs = {"input": Tensor(ROWS, COLUMNS, range=(-2.0, 2.0))}
    found = outcomes(subject(right_to_two, lambda x: -x, inputs=inputs))
    assert {outcome.verdict for outcome in found.values()} == {"pass"}
    assert "outside the declared range" in found["float32 input swept"].notes[0]


@pytest.mark.parametrize("dtypes", [("int32",), ("bool", "int64")])
def test_whole_numbers_have_no_special_values_and_the_plan_says_so(dtypes: tuple[str, ...]) -> None:
    plan = special_values.CHECK.plan(described(lambda x: x + x, dtypes=dtypes))
    assert plan.cases == ()
    assert plan.why_none == "no argument is a tensor of a floating-point dtype"
