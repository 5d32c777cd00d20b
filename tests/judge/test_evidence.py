"""A case is evidence only if wrong outputs fail on it."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F  # noqa: N812

from opwright.judge import Evidence, evidence, set_standards
from opwright.judge.plant import PLANTS
from opwright.spec.tolerance import Tolerance

Tensor = torch.Tensor
DTYPES = ("float64", "float32", "float16", "bfloat16")


def inputs(dtype: str, seed: int, *shape: int) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(shape, generator=generator, dtype=torch.float64)
    bias = torch.randn(shape[-1], generator=generator, dtype=torch.float64)
    return x.to(getattr(torch, dtype)), bias.to(getattr(torch, dtype))


def bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    return F.gelu(x + bias, approximate="tanh")


def softmax(x: Tensor, _: Tensor) -> Tensor:
    return x.softmax(-1)


def softmax_of_sum(x: Tensor, bias: Tensor) -> Tensor:
    return (x + bias).softmax(-1)  # in half types the sum is rounded, and exp makes more of it


def tried(function: object, dtype: str, seed: int, *shape: int, **keywords: object) -> Evidence:
    x, bias = inputs(dtype, seed, *shape)
    oracle = function(x.double(), bias.double())
    standards = set_standards(function(x, bias), oracle, **keywords)
    return evidence(
        standards, inputs=(x, bias), stale=function(*inputs(dtype, seed + 1000, *shape))
    )


@pytest.mark.parametrize("function", [bias_gelu, softmax])
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_default_rule_catches_every_plant_on_every_seed(dtype: str, function: object) -> None:
    length = 257 if function is softmax else 1
    missed = {}
    for seed in range(30):
        got = tried(function, dtype, seed, (64, 7)[seed % 2], 257, reduction_length=length)
        if set(got.caught) != set(PLANTS):
            missed[seed] = got.text
    assert missed == {}


def test_a_lavish_tolerance_makes_a_case_no_evidence() -> None:
    got = tried(bias_gelu, "float32", 0, 8, 33, tolerance=Tolerance(rtol=1e-2, atol=1e-2))
    assert not got.is_evidence
    assert got.passed == ("lower precision", "one element off")
    assert got.text == "not evidence: planted 'lower precision', 'one element off' pass"
    rough = tried(bias_gelu, "float32", 0, 8, 33, tolerance=Tolerance(rtol=5e-3))
    assert rough.text == "not evidence: planted 'lower precision' passes"
    lavish = tried(bias_gelu, "float32", 0, 8, 33, tolerance=Tolerance(rtol=0.1, atol=10.0))
    assert "'zeros'" in lavish.text
    assert lavish.text.endswith("pass")
    assert tried(bias_gelu, "float32", 0, 8, 33, tolerance=Tolerance(rtol=1e-5)).is_evidence


def test_a_reference_of_low_precision_is_no_evidence_of_precision() -> None:
    got = tried(softmax_of_sum, "bfloat16", 4, 64, 257, reduction_length=257)
    assert got.passed == ("lower precision",)
    assert tried(softmax_of_sum, "float32", 4, 64, 257, reduction_length=257).is_evidence


def test_what_is_the_right_output_anyway_is_told_apart_from_what_passes() -> None:
    zeros = torch.zeros(4, 5)
    got = evidence(set_standards(zeros, zeros.double()), inputs=(zeros,), stale=zeros)
    assert got.passed == got.caught == ()
    assert set(got.same) == set(PLANTS)
    assert not got.is_evidence
    assert got.text == "not evidence: no planted output differs from the right one"
    ones = torch.ones(4, 5)
    got = evidence(set_standards(ones, ones.double()), inputs=(ones,))
    assert set(got.same) == {"an input", "shifted row", "lower precision"}
    assert set(got.absent) == {"stale output"}
    assert got.is_evidence


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_few_elements_need_not_show_precision(dtype: str) -> None:
    outcomes = set()
    for seed in range(20):
        got = tried(softmax, dtype, seed, 1, 3, reduction_length=3)
        assert got.passed == ()
        outcomes.add("lower precision" in got.same)
    assert outcomes == {True, False}


def test_empty_cases_are_no_evidence() -> None:
    empty = torch.zeros(0, 4)
    got = evidence(set_standards(empty, empty.double()), inputs=(empty,), stale=empty)
    assert set(got.absent) == set(PLANTS)
    assert not got.is_evidence


def test_outputs_are_tried_one_by_one_and_named() -> None:
    values = torch.linspace(1, 2, 64)
    oracles = (values.double(), values.double() * 1e-6)
    references = (values, values * 1e-6)
    standards = set_standards(references, oracles, Tolerance(rtol=1e-3, atol=1e-5))
    got = evidence(standards, names=("mean", "variance"))
    assert "zeros in mean" in got.caught
    assert "zeros in variance" in got.passed
    assert "zeros in variance" in got.text


def test_exact_outputs_are_evidence_by_their_values() -> None:
    values = torch.arange(60).reshape(6, 10)
    got = evidence(set_standards(values, values), inputs=(values + 1,), stale=values * 2)
    assert set(got.caught) == set(PLANTS) - {"lower precision"}
