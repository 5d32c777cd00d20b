from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable

import pytest
import torch

from measure.made_up import GPU, JITTER, NOISES, Noise, made_pairs
from opwright.measure.statistics import Ratio, ratio_of_pairs
from opwright.measure.verdict import estimate_of, verdict_of
from opwright.records.measurement import Series


def test_a_verdict_wants_the_whole_interval_on_one_side() -> None:
    made = {
        "slower": Ratio(1.05, 1.02, 1.08, 300, 5),
        "faster": Ratio(0.9, 0.85, 0.98, 300, 5),
        "same": Ratio(1.001, 0.995, 1.009, 300, 5),
    }
    assert {expected: verdict_of(ratio)[0] for expected, ratio in made.items()} == {
        expected: expected for expected in made
    }


@pytest.mark.parametrize("low, high", [(1.005, 1.08), (0.9, 0.995), (0.9, 1.1), (0.995, 1.02)])
def test_an_interval_across_a_bound_cannot_tell(low: float, high: float) -> None:
    assert verdict_of(Ratio(math.sqrt(low * high), low, high, 300, 5))[0] == "cannot tell"


def test_the_bound_is_the_one_asked_for() -> None:
    ratio = Ratio(1.05, 1.02, 1.08, 300, 5)
    assert verdict_of(ratio, bound=0.03)[0] == "cannot tell"
    assert verdict_of(ratio, bound=0.1)[0] == "same"


def test_a_verdict_names_the_interval_its_confidence_and_what_it_rests_on() -> None:
    assert verdict_of(Ratio(1.052, 1.031, 1.073, 420, 7))[1] == (
        "1.052 times the time, 1.031 to 1.073 at 99 % confidence over 420 pairs in 7 processes: "
        "more than 1 % above 1"
    )


def test_one_process_is_told_to_be_too_few() -> None:
    ratio = Ratio(2.0, 0.0, math.inf, 100, 1)
    assert verdict_of(ratio)[1] == (
        "2.000 times the time over 100 pairs in 1 process, without an interval; how processes differ "
        "shows in 5 fresh ones"
    )
    assert verdict_of(Ratio(math.nan, 0.0, math.inf, 0, 0))[1] == "there are no samples of both"


def test_what_would_help_are_processes_where_they_differ_and_samples_where_those_do() -> None:
    processes = verdict_of(Ratio(1.03, 1.0, 1.06, 300, 5, from_samples=0.1))[1]
    assert processes.endswith("; about 8 processes like these would tell")
    samples = verdict_of(Ratio(1.03, 1.0, 1.06, 300, 5, from_samples=1.0))[1]
    assert samples.endswith(
        "; about 8 processes like these would tell, or 3 times as many samples in each"
    )
    near = verdict_of(Ratio(1.0101, 0.98, 1.04, 300, 5))[1]
    assert "too near to the bound of 1 %" in near
    noisy = verdict_of(Ratio(1.0, 0.5, 2.0, 300, 5))[1]
    assert "scatter too much for a bound of 1 %" in noisy


def test_the_processes_asked_for_are_enough() -> None:
    helped = [made_pairs(JITTER, comparisons=20, processes=k, pairs=60)[:20] for k in (5, 11)]
    few, many = (
        Counter(verdict_of(ratio_of_pairs(each), 0.03)[0] for each in made.tolist())
        for made in helped
    )
    assert few["cannot tell"] > 3 > many["cannot tell"]


def test_the_estimate_has_the_median_the_outliers_and_what_lies_between_processes() -> None:
    steady = [1000.0 + number % 10 for number in range(100)]
    steady[3] = 5000.0
    one = estimate_of([Series(0, tuple(steady), 0, "")])
    assert (one.median_us, one.samples, one.outliers) == (1005.0, 100, 1)
    assert 1002 <= one.low_us < 1005 < one.high_us <= 1007
    apart = [
        Series(n, tuple(f * t for t in steady), 0, "") for n, f in enumerate((1, 1.01, 1.02, 0.98))
    ]
    several = estimate_of(apart)
    assert (several.samples, several.outliers) == (400, 4)
    assert several.low_us < 0.98 * one.low_us
    assert several.high_us > 1.03 * one.high_us


def test_an_estimate_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError):
        estimate_of([])


Rule = Callable[[torch.Tensor], str]


def our_rule(pairs: torch.Tensor) -> str:
    return verdict_of(ratio_of_pairs(pairs.tolist()))[0]


def rule_without_processes(pairs: torch.Tensor) -> str:
    """Student's test over all pairs, as if they had come from one process: what is often done."""
    logs = (pairs[..., 0] / pairs[..., 1]).log().flatten()
    return _told(float(logs.mean()), 1.96 * float(logs.std()) / math.sqrt(logs.numel()))


def _told(centre: float, half: float) -> str:
    return "same" if abs(centre) <= half else "slower" if centre > 0 else "faster"


def verdicts(
    noise: Noise, rule: Rule = our_rule, *, factor: float = 1.0, comparisons: int = 200, **size: int
) -> Counter[str]:
    size = {"processes": 7, "pairs": 60, **size}
    made = made_pairs(noise, comparisons=comparisons, factor=factor, seed=20, **size)
    return Counter(map(rule, made))


def differing(counted: Counter[str]) -> float:
    return (counted["slower"] + counted["faster"]) / counted.total()


def test_equal_calls_are_not_told_apart_on_a_restless_processor() -> None:
    assert differing(verdicts(NOISES["everything"])) <= 0.02


def test_a_call_slower_by_5_percent_is_told_on_a_restless_processor() -> None:
    assert verdicts(NOISES["everything"], factor=1.05, comparisons=100)["slower"] >= 95


def test_equal_calls_are_not_told_apart_on_a_gpu_but_said_to_be_the_same() -> None:
    counted = verdicts(GPU, processes=5)
    assert differing(counted) <= 0.01
    assert counted["same"] >= 150


def test_a_call_slower_by_3_percent_is_told_on_a_gpu() -> None:
    assert verdicts(GPU, factor=1.03, comparisons=100, processes=5)["slower"] >= 95


def test_a_call_faster_by_5_percent_is_told() -> None:
    assert verdicts(JITTER, factor=1 / 1.05, comparisons=100)["faster"] >= 95


def test_a_rule_that_ignores_processes_fails_where_ours_holds() -> None:
    assert differing(verdicts(GPU, rule_without_processes)) > 0.05
    assert differing(verdicts(NOISES["autocorrelation"], rule_without_processes)) > 0.05


def test_processes_that_differ_more_than_the_bound_are_not_taken_for_a_difference() -> None:
    placed = Noise(jitter=0.01, process_bias=0.03)
    assert differing(verdicts(placed, processes=5, pairs=40)) <= 0.02
    assert differing(verdicts(placed, rule_without_processes, processes=5, pairs=40)) > 0.5


@pytest.mark.slow
@pytest.mark.parametrize("noise", NOISES)
def test_equal_and_slower_calls_are_told_under_each_noise(noise: str) -> None:
    assert differing(verdicts(NOISES[noise], comparisons=400)) <= 0.02
    assert verdicts(NOISES[noise], factor=1.05, comparisons=100)["slower"] >= 95
