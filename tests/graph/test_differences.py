from __future__ import annotations

import math

import pytest
import torch

from opwright.graph import script_body
from opwright.graph.differences import EXACT, Allowed, differing, same


def changed(tensor: torch.Tensor, *places: tuple[int, ...]) -> torch.Tensor:
    other = tensor.clone()
    for place in places:
        other[place] += 1
    return other


def test_results_that_are_the_same_have_no_finding() -> None:
    one = torch.tensor([[1.0, math.nan], [math.inf, -0.0]])
    assert differing(["`y`"], [one], [one.clone()], EXACT) is None
    assert same(one, one.clone())


def test_places_and_values_are_told() -> None:
    one = torch.zeros(3, 4)
    finding = differing(["`y`"], [one], [changed(one, (0, 1), (2, 3))], EXACT)
    assert finding is not None
    assert finding.kind == "differs in the graph"
    assert finding.details == {"output": "`y`", "count": 2, "places": [[0, 1], [2, 3]]}
    assert "`y` differs in 2 of 12 elements" in finding.message
    assert "[0, 1]: 1.0 inside the graph, 0.0 without it" in finding.message


def test_of_many_places_the_first_and_the_last_are_told() -> None:
    one = torch.zeros(100)
    finding = differing(["`y`"], [one], [one + 1], EXACT)
    assert finding is not None
    assert "100 of 100 elements, from [0] to [99]" in finding.message
    assert len(finding.details["places"]) == 5


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (torch.tensor([0.0]), torch.tensor([-0.0])),
        (torch.tensor([1.0]), torch.tensor([math.nan])),
        (torch.tensor([1.0]), torch.tensor([1.0 + 2**-23])),
        (torch.tensor([1]), torch.tensor([2])),
        (torch.tensor([True]), torch.tensor([False])),
        (torch.tensor([1 + 2j]), torch.tensor([1 - 2j])),
        (torch.zeros(2), torch.zeros(3)),
        (torch.zeros(2), torch.zeros(2, dtype=torch.float64)),
    ],
    ids=["sign of zero", "nan", "last bit", "integer", "bool", "complex", "sizes", "dtype"],
)
def test_one_bit_is_a_difference(one: torch.Tensor, other: torch.Tensor) -> None:
    assert differing(["`y`"], [one], [other], EXACT) is not None
    assert not same(one, other)


def test_a_tolerance_lets_pass_what_lies_within_and_no_more() -> None:
    one = torch.tensor([100.0, math.inf, math.nan, -0.0])
    allowed = Allowed((0.5, 0.01))
    assert differing(["`y`"], [one], [one + torch.tensor([1.49, 0, 0, 0.5])], allowed) is None
    assert differing(["`y`"], [one], [one + torch.tensor([1.51, 0, 0, 0])], allowed) is not None
    assert differing(["`y`"], [one], [one.nan_to_num(nan=0.0)], allowed) is not None
    whole = torch.tensor([100])
    assert differing(["`y`"], [whole], [whole + 1], allowed) is not None


INFINITE = torch.tensor([math.inf, -math.inf, math.inf, 5.0, 7.0, math.nan], dtype=torch.float64)
OTHERS = torch.tensor([5.0, math.inf, math.nan, math.inf, -math.inf, math.inf], dtype=torch.float64)


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.complex64])
@pytest.mark.parametrize("tolerance", [(0.0, 1e-3), (1e-3, 1e-3), (1e-3, 0.0)], ids=str)
def test_no_tolerance_makes_infinite_numbers_the_same_as_others(
    dtype: torch.dtype, tolerance: tuple[float, float]
) -> None:
    one, other = INFINITE.to(dtype), OTHERS.to(dtype)
    finding = differing(["`y`"], [one], [other], Allowed(tolerance))
    assert finding is not None
    assert finding.details["count"] == 6
    assert differing(["`y`"], [one], [one.clone()], Allowed(tolerance)) is None


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.complex64, torch.int64])
@pytest.mark.parametrize("tolerance", [None, (0.0, 1e-3), (1e-3, 1e-3), (60000.0, 1.0)], ids=str)
def test_a_script_lets_pass_what_opwright_does(
    dtype: torch.dtype, tolerance: tuple[float, float] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(script_body, "TOLERANCE", tolerance)
    finite = [0.0, -0.0, 1.0, 1.0005, 1.002, 6e4, -6e4]
    values = torch.tensor(
        finite if dtype == torch.int64 else [*finite, math.inf, -math.inf, math.nan]
    ).to(dtype)
    one, other = (t.flatten() for t in torch.meshgrid(values, values, indexing="ij"))
    wrong = int(script_body.differing(one, other).sum())
    finding = differing(["`y`"], [one], [other], Allowed(tolerance))
    assert wrong == (0 if finding is None else finding.details["count"])


def test_another_number_of_results_is_a_difference() -> None:
    finding = differing([], [torch.zeros(1)], [], EXACT)
    assert finding is not None
    assert finding.message == "0 results inside the graph, 1 without it"
