"""Rows and ratios from what processes answer: which samples make a pair, and what speaks against them."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from opwright.measure.roofline import Ceilings
from opwright.records.measurement import Row, Series
from opwright.session.bench_rows import Timed, lacking_of, ratios_of, rows_of, timed_from_json
from opwright.spec.case import Case

CASE = Case("bench", "n=64 float32", {"T": "float32"}, {"n": 64}, {"k": 2})
FACTS: dict[str, Any] = {
    "memory_bytes": {"allocated_peak_bytes": 256},
    "not_measured": {"reserved_bytes": "no reserve"},
    "device": {"kernels": 1},
    "doubts": [],
}


def timed(process: int, operator_us: float = 100.0, reference_us: float = 200.0) -> Timed:
    """Forty samples of each that scatter together: sample by sample one is a fixed part of the other."""
    weather = [1 + 0.3 * ((7 * number) % 11) / 11 for number in range(40)]
    series = {
        name: Series(process, tuple(time_us * w for w in weather), 5, "time limit")
        for name, time_us in (("operator", operator_us), ("reference", reference_us))
    }
    return Timed(
        series=series,
        rechecked={"operator": 3, "reference": 0},
        judged={},
        late=0,
        facts=dict.fromkeys(series, FACTS) if process == 0 else {},
        roofline={
            "bytes": 512,
            "flops": None,
            "ceilings": asdict(Ceilings(1.0, 1.0, 512, "cold")),
        },
        flush={"verdict": "effective", "reason": "slow again"},
    )


def rows(*processes: Timed, machine: tuple[str, ...] = ()) -> list[Row]:
    return list(rows_of(CASE, processes, "host", "cold", machine))


def test_a_row_has_the_samples_of_every_process_and_the_facts_of_the_first() -> None:
    own, reference = rows(timed(0), timed(1), timed(2))
    assert (own.subject, reference.subject) == ("operator", "reference")
    assert [series.process for series in own.series] == [0, 1, 2]
    assert own.estimate.samples == 120
    assert (own.rechecked, reference.rechecked) == (9, 0)
    assert own.sizes == {"n": 64}
    assert own.scalars == {"k": 2}
    assert own.memory_bytes == {"allocated_peak_bytes": 256}
    assert own.device["kernels"] == 1
    assert own.device["flush"]["verdict"] == "effective"
    assert own.roofline["gb_s"] == pytest.approx(512 / own.estimate.median_us / 1e3)
    assert own.unreliable == ()


def test_the_operators_time_is_over_the_others_sample_by_sample() -> None:
    """What the weather does to both at once does not widen the interval."""
    (ratio,) = ratios_of(CASE, [timed(number) for number in range(5)], 0.01, None)
    assert (ratio.subject, ratio.against, ratio.verdict) == ("operator", "reference", "faster")
    assert ratio.ratio == pytest.approx(0.5)
    assert ratio.high == pytest.approx(0.5)
    assert (ratio.pairs, ratio.processes) == (200, 5)
    (other_way,) = ratios_of(CASE, [timed(number, 400.0) for number in range(5)], 0.01, None)
    assert (other_way.verdict, other_way.ratio) == ("slower", pytest.approx(2.0))


def test_a_share_of_a_model_says_what_the_whole_gains() -> None:
    (ratio,) = ratios_of(CASE, [timed(0), timed(1)], 0.01, 50.0)
    assert ratio.share_percent == 50.0
    assert ratio.whole_model == pytest.approx(1 / 0.75), "half of it takes half as long"


def test_what_speaks_against_the_samples_is_told() -> None:
    late = replace(timed(0), late=5)
    (own, _) = rows(late, machine=("the device was hot",))
    assert own.unreliable == (
        "in 5 of 80 samples of this case the host was late: the device waited for it",
        "the device was hot",
    )
    (own, _) = rows(replace(late, late=4))
    assert own.unreliable == (), "one in twenty is not many"
    warm = replace(timed(0), flush={"verdict": "not effective", "reason": "quick again"})
    assert rows(warm)[0].unreliable == ("the cache was not cold: quick again",)
    doubted = replace(
        timed(0), facts={n: {**FACTS, "doubts": ["no kernel"]} for n in timed(0).series}
    )
    assert rows(doubted)[0].unreliable == ("no kernel",)


def test_more_than_the_device_can_do_is_impossible_and_said() -> None:
    quick = timed(0, operator_us=0.01)
    own, reference = rows(quick)
    assert "impossible" in own.roofline
    assert own.unreliable[0] == own.roofline["impossible"]
    assert reference.unreliable == ()


def test_what_a_process_answers_is_read() -> None:
    plain = {**asdict(timed(0)), "series": {n: asdict(s) for n, s in timed(0).series.items()}}
    assert timed_from_json(plain) == timed(0)


def test_what_one_process_could_not_time_is_no_row_and_says_why() -> None:
    whole, partial = timed(0), timed(1)
    del partial.series["reference"]
    partial.lacking["reference"] = "it raises"
    assert [row.subject for row in rows(whole, partial)] == ["operator"]
    assert list(ratios_of(CASE, [whole, partial], 0.01, None)) == []
    (lacking,) = lacking_of(CASE, [whole, partial])
    assert (lacking.subject, lacking.against) == ("operator", "reference")
    assert (lacking.verdict, lacking.reason, lacking.ratio) == ("not comparable", "it raises", None)


def test_a_row_has_the_layouts_of_its_case_and_how_exact_it_was() -> None:
    case = replace(CASE, layouts={"input": "offset 1"})
    facts = {**FACTS, "accuracy": {"max_ulp": 0.5}}
    first = replace(timed(0), facts=dict.fromkeys(("operator", "reference"), facts))
    own, _ = rows_of(case, [first], "host", "cold", ())
    assert (own.layouts, own.accuracy) == ({"input": "offset 1"}, {"max_ulp": 0.5})
