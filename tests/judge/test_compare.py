"""What the judge says: reasons, places, figures, notes."""

from __future__ import annotations

import json
import math

import pytest
import torch

from judge.judged import compare
from opwright.errors import SpecError
from opwright.judge import Comparison, holds, judge, set_standards
from opwright.spec.tolerance import Tolerance

INF, NAN = math.inf, math.nan
WIDE = torch.float64


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=WIDE)


def square(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Reference in float32 and oracle of x * x."""
    x = values.float()
    return x * x, x.double() ** 2


def kinds(comparison: Comparison) -> list[str]:
    return [reason.kind for reason in comparison.reasons]


def test_the_reference_itself_passes_and_its_figures_stand_on_both_sides() -> None:
    reference, oracle = square(normal(64, 33))
    comparison = compare(reference, reference, oracle)
    figures = comparison.figures
    assert comparison.passed
    assert comparison.reasons == comparison.notes == ()
    assert figures["elements"] == 64 * 33
    assert figures["ratio_mean"] == 1.0
    for name in ("max_abs", "max_rel", "max_ulp", "mean_ulp", "p999_ulp"):
        assert figures[name] == figures[f"reference_{name}"] > 0
    assert figures["mean_ulp"] < figures["p999_ulp"] <= figures["max_ulp"] <= 0.5


def test_figures_are_those_of_a_known_error() -> None:
    oracle = torch.full((2000,), 3.0, dtype=WIDE)  # ULP of float32 there: 2**-22
    actual = oracle.float()
    actual[7] += 3 * 2.0**-22
    figures = compare(actual, oracle.float(), oracle).figures
    assert figures["max_abs"] == 3 * 2.0**-22
    assert figures["max_rel"] == 2.0**-22
    assert figures["max_ulp"] == 3.0
    assert figures["mean_ulp"] == 3 / 2000
    assert figures["p999_ulp"] == 0.0
    assert (
        figures["ratio_worst"] == 6.0
    )  # the reference's error is at most the half ULP of rounding
    assert figures["ratio_mean"] == INF


def test_a_better_operator_than_the_reference_is_seen() -> None:
    x = normal(50_000).bfloat16()
    oracle = (x.double() + 0.3).tanh()
    reference = (x + 0.3).tanh()  # rounds twice
    figures = compare(oracle.bfloat16(), reference, oracle).figures
    assert figures["ratio_mean"] < 0.8
    assert figures["mean_ulp"] < figures["reference_mean_ulp"]


def test_a_wrong_element_is_named_with_place_inputs_and_measure() -> None:
    x = normal(100, 65)
    reference, oracle = square(x)
    actual = reference.clone()
    actual[41, 3] *= 1.01
    comparison = compare(
        actual, reference, oracle, names=("y",), inputs={"x": x, "n": torch.ones(5), "b": x[:1]}
    )
    (reason,) = comparison.reasons
    assert not comparison.passed
    assert (reason.kind, reason.count, reason.index) == ("accuracy", 1, (41, 3))
    assert reason.message.startswith(
        "y: 1 of 6500 elements beyond the limit; worst at [41, 3]: got "
    )
    assert f"(inputs there: x={x[41, 3].item():.9g}, b={x[0, 3].item():.9g})" in reason.message
    assert "ULP of float32" in reason.message
    assert "× the reference's error at that magnitude" in reason.message
    assert comparison.figures["beyond"] == 1


SPECIAL = [
    ("nan", "NaN where a number is expected", NAN, 1.5),
    ("nan", "a number where NaN is expected", 0.0, NAN),
    ("infinity", "infinity where a finite number is expected", INF, 1.5),
    ("infinity", "an infinity of the wrong sign", -INF, INF),
    ("infinity", "a finite number where infinity is expected", 3e38, INF),
    ("nan", "NaN where a number is expected", NAN, INF),
    ("nan", "a number where NaN is expected", INF, NAN),
]


@pytest.mark.parametrize("kind, words, got, expected", SPECIAL)
@pytest.mark.parametrize("tolerance", [None, Tolerance(rtol=1e3, atol=1e30)])
def test_special_values_that_disagree_fail_under_any_tolerance(
    kind: str, words: str, got: float, expected: float, tolerance: Tolerance | None
) -> None:
    oracle = torch.full((4, 8), 1.5, dtype=WIDE)
    oracle[1, 2] = oracle[3, 3] = expected
    actual = oracle.float()
    actual[1, 2] = actual[3, 3] = got
    comparison = compare(actual, oracle.float(), oracle, tolerance)
    (reason,) = comparison.reasons
    assert (reason.kind, reason.count, reason.index) == (kind, 2, (1, 2))
    assert f"{words} at 2 of 32 elements; first at [1, 2]" in reason.message
    assert comparison.figures["wrong_special_values"] == 2
    assert not holds((actual,), set_standards(oracle.float(), oracle, tolerance))


def test_special_values_that_agree_pass() -> None:
    oracle = torch.tensor([NAN, INF, -INF, 1.0, 1e39, -1e39], dtype=WIDE)
    comparison = compare(oracle.float(), oracle.float(), oracle)
    assert comparison.passed
    assert comparison.figures["max_abs"] < 1e-7


def test_class_mismatches_and_errors_are_told_apart() -> None:
    reference, oracle = square(normal(200))
    actual = reference.clone()
    actual[3], actual[4], actual[5] = NAN, INF, actual[5] * 2
    comparison = compare(actual, reference, oracle)
    assert kinds(comparison) == ["nan", "infinity", "accuracy"]
    assert comparison.figures["max_rel"] == pytest.approx(1.0)  # of what can be measured


def test_repeating_a_wrong_special_value_of_the_reference_is_noted_not_failed() -> None:
    x = torch.tensor([1.0, 100.0, 2.0]).half()
    reference, oracle = x * x * x / x, x.double() ** 2  # the reference overflows on the way
    assert reference[1].isinf()
    comparison = compare(reference, reference, oracle)
    assert comparison.passed
    assert comparison.notes == (
        "output 0: the reference itself gives a wrong infinity or NaN at 1 elements",
    )
    assert compare(oracle.half(), reference, oracle).passed
    for other, kind in ((-INF, "infinity"), (NAN, "nan"), (0.0, "accuracy")):
        wrong = torch.tensor([1.0, other, 4.0]).half()
        assert kinds(compare(wrong, reference, oracle)) == [kind]


def test_a_reference_of_nothing_but_nan_matches_nothing_else() -> None:
    oracle = torch.full((9,), NAN, dtype=WIDE)
    assert compare(oracle.float(), oracle.float(), oracle).passed
    assert kinds(compare(torch.zeros(9), oracle.float(), oracle)) == ["nan"]


def test_structure_comes_before_values() -> None:
    reference, oracle = square(normal(4, 5))
    assert kinds(compare(reference[:1], reference, oracle)) == ["shape"]
    assert kinds(compare(reference.double(), reference, oracle)) == ["dtype"]
    assert kinds(compare((), reference, oracle)) == ["outputs"]
    assert compare(reference[:1], reference, oracle).figures == {}
    strides = compare(reference, reference, oracle, strides=[(1, 4)])
    assert kinds(strides) == ["strides"]
    assert strides.figures["elements"] == 20


def test_layout_of_the_output_in_memory_does_not_change_its_values() -> None:
    reference, oracle = square(normal(4, 5))
    assert compare(reference.t().contiguous().t(), reference, oracle).passed
    assert not compare(reference.t().contiguous().reshape(4, 5), reference, oracle).passed


def test_empty_outputs_pass_and_say_that_they_are_empty() -> None:
    empty = torch.zeros(0, 4)
    comparison = compare(empty, empty, empty.double())
    assert comparison.passed
    assert comparison.figures["elements"] == 0


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.uint8, torch.bool])
def test_exact_dtypes_are_exact(dtype: torch.dtype) -> None:
    right = (normal(6, 7).abs() * 2).to(dtype)
    wrong = right.clone()
    wrong[2, 3] = ~wrong[2, 3] if dtype == torch.bool else wrong[2, 3] + 1
    assert compare(right, right, right, Tolerance(rtol=1.0, atol=10.0)).passed
    comparison = compare(wrong, right, right, Tolerance(rtol=1.0, atol=10.0))
    (reason,) = comparison.reasons
    assert (reason.kind, reason.count, reason.index) == ("value", 1, (2, 3))
    assert f"got {wrong[2, 3].item()}, expected {right[2, 3].item()}" in reason.message


def test_exact_values_beyond_float64_are_not_rounded() -> None:
    right = torch.tensor([2**53 + 1])
    assert kinds(compare(right - 1, right, right)) == ["value"]


def test_an_exact_output_may_follow_the_oracle_or_the_reference() -> None:
    oracle, reference = torch.tensor([1, 2, 3]), torch.tensor([1, 1, 3])
    assert compare(oracle, reference, oracle).passed
    assert compare(reference, reference, oracle).passed
    assert not compare(torch.tensor([1, 0, 3]), reference, oracle).passed


def test_complex_outputs_are_judged_by_modulus() -> None:
    z = torch.complex(normal(4000), normal(4000, seed=1)).to(torch.complex64)
    oracle = z.to(torch.complex128) ** 2
    reference = z * z
    assert compare(reference, reference, oracle).passed
    assert compare(oracle.to(torch.complex64), reference, oracle).passed
    assert kinds(compare(reference * (1 + 1e-5j), reference, oracle)) == ["accuracy"]
    assert kinds(compare(reference.conj().resolve_conj(), reference, oracle)) == ["accuracy"]
    special = reference.clone()
    special[9] = complex(NAN, 0)
    (reason,) = compare(special, reference, oracle).reasons
    assert (reason.kind, reason.index) == ("nan", (9,))


def test_of_several_outputs_the_worst_gives_the_figures() -> None:
    reference, oracle = square(normal(500))
    worse = reference.clone()
    worse[0] *= 2
    comparison = compare((reference, worse), (reference,) * 2, (oracle,) * 2, names=("a", "b"))
    assert [(reason.output, reason.message[:2]) for reason in comparison.reasons] == [(1, "b:")]
    assert comparison.figures == comparison.outputs[1] != comparison.outputs[0]


def test_inputs_that_need_gradients_are_no_obstacle() -> None:
    reference, oracle = square(normal(500))
    assert compare(reference.requires_grad_(), reference, oracle.requires_grad_()).passed


def test_a_declared_tolerance_decides_alone() -> None:
    reference, oracle = square(normal(500))
    rough = reference * (1 + 1e-4)
    assert not compare(rough, reference, oracle).passed
    assert compare(rough, reference, oracle, Tolerance(rtol=2e-4)).passed
    assert not compare(rough, reference, oracle, Tolerance(rtol=5e-5)).passed


def test_a_tolerance_below_half_an_ulp_at_the_outputs_is_refused() -> None:
    oracle = 30 + normal(1000) / 4
    actual = oracle.bfloat16()
    with pytest.raises(SpecError, match="no correct operator can meet"):
        compare(actual, actual, oracle, Tolerance(atol=0.06))
    assert compare(actual, actual, oracle, Tolerance(atol=0.0625)).passed
    # what the dtype holds exactly needs no tolerance
    assert compare(actual, actual, actual.double(), Tolerance()).passed


def test_a_tolerance_that_even_the_reference_misses_is_to_blame_itself() -> None:
    a, b = normal(300, 8192).float(), normal(8192, seed=1).float()
    oracle, reference = a.double() @ b.double(), a @ b
    rough = Tolerance(rtol=1e-6)  # of sums that cancel
    comparison = compare(reference, reference, oracle, rough, reduction_length=8192)
    assert kinds(comparison) == ["tolerance"]
    assert "as good as its reference" in comparison.reasons[0].message
    assert "the reference itself is outside Tolerance(rtol=1e-06" in comparison.notes[0]
    broken = compare(torch.zeros_like(reference), reference, oracle, rough, reduction_length=8192)
    assert kinds(broken) == ["accuracy"]


def test_a_constant_error_below_every_limit_is_found_by_its_mean() -> None:
    reference, oracle = square(normal(1000))
    standards = set_standards(reference, oracle)
    wrong = (oracle + 0.7 * standards[0].rule.limit).float()
    comparison = judge(wrong, standards)
    (reason,) = comparison.reasons
    assert comparison.figures["beyond"] == 0
    assert (reason.kind, reason.index) == ("accuracy", None)
    assert "on average" in reason.message
    assert not holds((wrong,), standards)
    half_as_much = (oracle + 0.3 * standards[0].rule.limit).float()
    assert judge(half_as_much, standards).passed
    assert holds((half_as_much,), standards)


@pytest.mark.parametrize("count", [1, 65_535, 65_536, 65_537, 200_000])
def test_long_outputs_are_judged_to_their_last_element(count: int) -> None:
    reference, oracle = square(normal(count))
    actual = reference.clone()
    assert compare(actual, reference, oracle).passed
    actual[-1] = actual[-1] * 2 + 1
    (reason,) = compare(actual, reference, oracle).reasons
    assert reason.index == (count - 1,)


def test_comparisons_become_plain_json() -> None:
    oracle = torch.tensor([0.0, 1.0], dtype=WIDE)
    actual = torch.tensor([1.0, NAN])
    comparison = compare(actual, oracle.float(), oracle)
    text = json.dumps(comparison.to_json(), allow_nan=False)
    again = json.loads(text)
    assert again["passed"] is False
    assert again["figures"]["max_rel"] == "inf"
    assert [reason["kind"] for reason in again["reasons"]] == kinds(comparison)
    assert again["reasons"][0]["index"] == [1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "bfloat16"])
def test_the_quick_answer_is_that_of_the_full_judgement(dtype: str) -> None:
    answers = set()
    for seed in range(40):
        x = normal(300, seed=seed).to(getattr(torch, dtype))
        reference, oracle = x.sin(), x.double().sin()
        noise = normal(300, seed=seed + 100) * torch.finfo(x.dtype).eps * (seed / 4)
        actual = (oracle * (1 + noise)).to(x.dtype)
        standards = set_standards(reference, oracle)
        passed = judge(actual, standards).passed
        assert holds((actual,), standards) is passed
        answers.add(passed)
    assert answers == {True, False}
