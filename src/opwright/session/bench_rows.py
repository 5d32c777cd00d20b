"""From what processes have answered to the rows and ratios of a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from opwright.measure.drift import unreliable_because
from opwright.measure.roofline import Ceilings, achieved, amdahl
from opwright.measure.statistics import ratio_of_pairs
from opwright.measure.verdict import estimate_of, verdict_of
from opwright.records.measurement import RatioRecord, Row, Series
from opwright.session.bench_subject import OPERATOR
from opwright.spec.case import Case

_MOST_LATE = 0.05  # of the samples


@dataclass(frozen=True)
class Timed:
    """What one process answered for one case: samples by subject, and what speaks against them.

    ``judged`` are digests of what was right, by subject, those of earlier processes too. ``facts`` by subject,
    ``roofline`` and ``flush`` come from the first process alone. ``lacking`` says why a subject has no samples.
    """

    series: dict[str, Series]
    rechecked: dict[str, int]
    judged: dict[str, list[str]]
    late: int
    facts: dict[str, Any]
    roofline: dict[str, Any]
    flush: dict[str, Any]
    lacking: dict[str, str] = field(default_factory=dict)


def timed_from_json(answer: Mapping[str, Any]) -> Timed:
    """What a worker has answered."""
    series = {
        name: Series(**{**plain, "times_us": tuple(plain["times_us"])})
        for name, plain in answer["series"].items()
    }
    rest = {
        name: answer[name]
        for name in ("rechecked", "judged", "late", "facts", "roofline", "flush", "lacking")
    }
    return Timed(series=series, **rest)


def rows_of(
    case: Case, timed: Sequence[Timed], timer: str, cache: str, machine: Sequence[str]
) -> Iterator[Row]:
    """One row a subject, over all processes; ``machine`` is what its state says against the samples."""
    plain, first = case.to_json(), timed[0]
    for subject in _in_all(timed):
        series = tuple(each.series[subject] for each in timed)
        estimate = estimate_of(series)
        facts = first.facts[subject]
        roofline = _roofline(first.roofline, estimate.median_us)
        yield Row(
            subject=subject,
            case=case.name,
            sizes=plain["sizes"],
            dtypes=case.dtypes,
            scalars=case.scalars,
            timer=timer,
            cache=cache,
            series=series,
            estimate=estimate,
            unreliable=(
                *([roofline["impossible"]] if "impossible" in roofline else []),
                *_doubts(timed, series, facts),
                *machine,
            ),
            rechecked=sum(each.rechecked[subject] for each in timed),
            memory_bytes=facts["memory_bytes"],
            roofline=roofline,
            device={**facts["device"], "not_measured": facts["not_measured"], "flush": first.flush},
            accuracy=facts.get("accuracy", {}),
            layouts=case.layouts,
        )


def _in_all(timed: Sequence[Timed]) -> list[str]:
    """The subjects of which every process has samples."""
    return [name for name in timed[0].series if all(name in each.series for each in timed)]


def _doubts(
    timed: Sequence[Timed], series: tuple[Series, ...], facts: Mapping[str, Any]
) -> Iterator[str]:
    """What speaks against the samples, each kind once."""
    yield from unreliable_because(series)
    yield from facts["doubts"]
    late = sum(each.late for each in timed)
    total = sum(len(s.times_us) for each in timed for s in each.series.values())
    if late > _MOST_LATE * total:
        yield f"in {late} of {total} samples of this case the host was late: the device waited for it"
    if timed[0].flush.get("verdict") == "not effective":
        yield f"the cache was not cold: {timed[0].flush['reason']}"


def _roofline(found: Mapping[str, Any], time_us: float) -> dict[str, Any]:
    if not found:
        return {}
    ceilings = Ceilings(**found["ceilings"])
    told = achieved(found["bytes"], found["flops"], time_us, ceilings)
    return {**told, "copy_gb_s": ceilings.copy_gb_s, "matmul_tflop_s": ceilings.matmul_tflop_s}


def ratios_of(
    case: Case, timed: Sequence[Timed], bound: float, share_percent: float | None
) -> Iterator[RatioRecord]:
    """The operator's time over each other subject's; ``bound`` is the difference that counts as none.

    ``share_percent`` is the other's share of a model's time, None where nobody asks for the model.
    """
    for against in _in_all(timed):
        if against == OPERATOR:
            continue
        ratio = ratio_of_pairs([_pairs(each, against) for each in timed])
        verdict, reason = verdict_of(ratio, bound)
        yield RatioRecord(
            subject=OPERATOR,
            against=against,
            case=case.name,
            verdict=verdict,
            reason=reason,
            ratio=ratio.value,
            low=ratio.low,
            high=ratio.high,
            pairs=ratio.pairs,
            processes=ratio.processes,
            share_percent=share_percent,
            whole_model=None if share_percent is None else amdahl(share_percent, 1 / ratio.value),
        )


def lacking_of(case: Case, timed: Sequence[Timed]) -> Iterator[RatioRecord]:
    """What could not be timed beside the operator, with the reason of the first process that has one."""
    reasons = {name: why for each in reversed(timed) for name, why in each.lacking.items()}
    for against, why in reasons.items():
        yield RatioRecord(OPERATOR, against, case.name, "not comparable", why)


def _pairs(timed: Timed, against: str) -> list[tuple[float, float]]:
    own, other = timed.series[OPERATOR].times_us, timed.series[against].times_us
    return list(zip(own, other, strict=True))
