from __future__ import annotations

import pytest
import torch

from opwright.checks.judging.refusals import refused, unclear


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("bias: expected 3 values, got 4"),
        NotImplementedError("no kernel for int8"),
        TypeError("bias has to be a tensor"),
        ValueError("k is 9, more than 8 columns"),
        AssertionError("input must be contiguous"),
        IndexError("Dimension out of range (expected to be in range of [-1, 0], but got 1)"),
    ],
)
def test_what_is_raised_on_purpose_with_a_message_is_clear(error: Exception) -> None:
    assert unclear(error, "argument `bias` as int8") is None


@pytest.mark.parametrize(
    "error",
    [
        KeyError("float64"),
        ZeroDivisionError("division by zero"),
        AttributeError("'NoneType' object has no attribute 'shape'"),
        IndexError("tuple index out of range"),
        UnboundLocalError("local variable 'n' referenced before assignment"),
        RuntimeError("x INTERNAL ASSERT FAILED at y"),
    ],
)
def test_an_accident_is_no_refusal(error: Exception) -> None:
    finding = unclear(error, "argument `bias` as int8", argument="bias")
    assert finding is not None
    assert finding.kind == "unclear refusal"
    assert finding.message.startswith(
        f"argument `bias` as int8: it fails with {type(error).__name__}"
    )
    assert finding.details["argument"] == "bias"


@pytest.mark.parametrize("error", [AssertionError(), ValueError("  \n "), RuntimeError("")])
def test_a_refusal_has_to_say_something(error: Exception) -> None:
    finding = unclear(error, "argument `bias` as int8")
    assert finding is not None
    assert finding.kind == "refusal says nothing"
    assert refused(error) == type(error).__name__


def test_an_index_out_of_a_shape_is_pythons_accident() -> None:
    with pytest.raises(IndexError) as caught:
        torch.zeros(3).shape[1]
    assert unclear(caught.value, "x") is not None
