"""A reference that is right by luck is no bound for others; what is wrong stays wrong."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from checks.one_tensor import ROWS, described
from opwright import Tensor
from opwright.checks.judging.outputs import expect, judge_call
from opwright.inputs.call import Call
from opwright.judge import Comparison
from opwright.spec.case import Case

Function = Callable[[torch.Tensor], torch.Tensor]
OUTPUT = {"outputs": Tensor(ROWS), "reduction": "columns", "dtypes": ("float32", "bfloat16")}


def judged(reference: Function, results: torch.Tensor, value: torch.Tensor) -> Comparison:
    spec = described(reference, **OUTPUT)
    case = Case(
        "numerics",
        "",
        {"T": str(value.dtype).removeprefix("torch.")},
        {"rows": value.shape[0], "columns": value.shape[1]},
    )
    call = Call(spec, {"input": value})
    return judge_call(expect(spec, case, call), [results], call)


def variance(value: torch.Tensor) -> torch.Tensor:
    return value.var(1, correction=0)


def sequential_sum(rows: torch.Tensor) -> torch.Tensor:
    total = torch.zeros_like(rows[:, 0])
    for column in rows.unbind(1):
        total = total + column
    return total


def test_the_variance_of_equal_numbers_need_not_be_exactly_zero() -> None:
    value = torch.full((3, 100), 1.7)
    mean = sequential_sum(value)[:, None] / 100
    found = sequential_sum((value - mean) ** 2) / 100
    assert float(found[0]) != 0
    comparison = judged(variance, found, value)
    assert comparison.passed
    assert comparison.notes[-1].endswith("right by luck")


def test_a_variance_that_is_far_from_zero_is_wrong_all_the_same() -> None:
    value = torch.full((3, 100), 1.7)
    assert not judged(variance, torch.full((3,), 1e-6), value).passed


@pytest.mark.parametrize("columns", [2, 100])
def test_a_logarithm_of_a_sum_near_zero_may_lose_digits(columns: int) -> None:
    value = torch.randn(4, columns, generator=torch.Generator().manual_seed(1))
    value = value - value.logsumexp(1, keepdim=True)
    found = sequential_sum(value.exp()).log()
    assert judged(lambda x: torch.logsumexp(x, 1), found, value).passed
    assert not judged(lambda x: torch.logsumexp(x, 1), found + 1e-4, value).passed


@pytest.mark.parametrize("length", [1024, 16_384])
def test_long_sums_that_cancel_pass_in_any_order(length: int) -> None:
    for seed in range(3):
        value = torch.randn(8, length, generator=torch.Generator().manual_seed(seed))
        value[:, length // 2 :] = -value[:, : length // 2].flip(-1)
        value[:, 0] += 1e-2  # what is left of terms near 1
        for rows in (value, value.flip(-1)):
            comparison = judged(lambda x: x.sum(1), sequential_sum(rows), value)
            assert comparison.passed, comparison.reasons


def test_a_sum_that_leaves_one_term_out_is_wrong() -> None:
    value = torch.randn(8, 1024, generator=torch.Generator().manual_seed(0))
    assert not judged(lambda x: x.sum(1), value[:, 1:].sum(1), value).passed


def undeclared(reference: Function, results: torch.Tensor, value: torch.Tensor) -> Comparison:
    """Judged without ``reduction``."""
    spec = described(reference, dtypes=("float32",))
    sizes = {"rows": value.shape[0], "columns": value.shape[1]}
    call = Call(spec, {"input": value})
    return judge_call(
        expect(spec, Case("layouts", "", {"T": "float32"}, sizes), call), [results], call
    )


def spread_rows(value: torch.Tensor) -> torch.Tensor:
    return value.var(1, correction=0, keepdim=True) + 0 * value


def test_a_formula_that_is_exact_for_equal_numbers_binds_no_other_one() -> None:
    value = torch.full((3, 64), 1.7)
    mean = sequential_sum(value)[:, None] / 64
    found = sequential_sum((value - mean) ** 2)[:, None] / 64 + 0 * value
    assert float(found[0, 0]) != 0
    assert undeclared(spread_rows, found, value).passed
    assert not undeclared(spread_rows, found + 1e-6, value).passed


def test_what_does_not_cancel_is_held_to_as_much_as_before() -> None:
    value = torch.randn(3, 64, generator=torch.Generator().manual_seed(0))
    assert not undeclared(spread_rows, spread_rows(value) * (1 + 4e-6), value).passed


def test_a_step_next_to_an_input_is_no_lost_digit() -> None:
    value = torch.ones(3, 64)
    assert not undeclared(torch.floor, torch.zeros(3, 64), value).passed
