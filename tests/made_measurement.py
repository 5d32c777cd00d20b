"""Measurements made by hand, with every kind of figure that a report shows."""

from __future__ import annotations

import random
from typing import Any

from opwright.records.measurement import (
    Estimate,
    Measurement,
    OperatorMeasurement,
    RatioRecord,
    Row,
    Series,
    Stage,
)

CASES = {
    "batch=1024,hidden=768 float32": (1024, 768),
    "batch=4096,hidden=1024 float32": (4096, 1024),
}
SUBJECTS = {"operator": 1.0, "reference": 2.5, "compile": 1.02}
HOSTILE = (
    "\"'><script>document.title = 'hit'</script><img src=x onerror=alert(1)> $\\frac{ & \x07</svg>"
)


def made_row(subject: str = "operator", case: str | None = None, **changes: Any) -> Row:
    """Three processes of seven samples; the reference takes 2.5 times as long as the operator."""
    case = case or next(iter(CASES))
    batch, hidden = CASES.get(case, (8, 16))
    median_us = batch * hidden / 4000 * SUBJECTS.get(subject, 1.0)
    drawn = random.Random(f"{subject} {case}")
    series = tuple(
        Series(
            process,
            tuple(median_us * drawn.lognormvariate(0, 0.03) for _ in range(7)),
            2 + process,
            "interval narrow enough" if process else "time limit",
        )
        for process in range(3)
    )
    facts: dict[str, Any] = {
        "sizes": {"batch": [batch // 8, 8], "hidden": hidden},
        "dtypes": {"T": "float32"},
        "scalars": {"approximate": "tanh"},
        "timer": "host",
        "cache": "cold",
        "series": series,
        "estimate": Estimate(median_us, 0.97 * median_us, 1.04 * median_us, 21, 2),
        "rechecked": 3,
        "memory_bytes": {"allocated_peak_bytes": 4 * batch * hidden, "process_peak_bytes": 0},
        "roofline": {
            "bytes": 8 * batch * hidden,
            "gb_s": 8 * batch * hidden / median_us / 1e3,
            "fraction_of_copy": 0.8 / SUBJECTS.get(subject, 1.0),
            "limit": "memory",
            "flops": 20 * batch * hidden,
            "tflop_s": 20 * batch * hidden / median_us / 1e6,
            "fraction_of_matmul": 0.05,
        },
        "device": {
            "launches": 1,
            "not_measured": {"reserved_bytes": "the host keeps no reserve of memory"},
        },
    }
    return Row(subject, case, **{**facts, **changes})


def made_ratio(against: str, case: str, **changes: Any) -> RatioRecord:
    value = 1 / SUBJECTS[against]
    facts: dict[str, Any] = {
        "verdict": "faster" if value < 0.9 else "same",
        "reason": f"{value:.3f} times the time at 99 % confidence",
        "ratio": value,
        "low": 0.98 * value,
        "high": 1.01 * value,
        "pairs": 21,
        "processes": 3,
    }
    return RatioRecord("operator", against, case, **{**facts, **changes})


def made_operator(name: str = "bias_gelu", **changes: Any) -> OperatorMeasurement:
    """Two cases, three subjects, and everything that can be said of them."""
    unsure = ("processes disagree: 1 lies below 2",)
    facts: dict[str, Any] = {
        "name": name,
        "schema": f"{name}(Tensor input) -> Tensor",
        "implementation": "generated",
        "location": "op.py:8",
        "target": "cpu",
        "label": "hardware",
        "artifact": {"digest": "61b03c49" * 8, "hit": True},
        "checked": "passed: every check",
        "rows": tuple(
            made_row(subject, case, unreliable=unsure if subject == "compile" else ())
            for case in CASES
            for subject in SUBJECTS
        ),
        "ratios": tuple(
            made_ratio(against, case) for case in CASES for against in ("reference", "compile")
        ),
    }
    return OperatorMeasurement(**{**facts, **changes})


STAGES = (
    Stage("cold build", (4.1e6, 4.3e6, 4.2e6)),
    Stage("store hit", (52e3, 51e3, 58e3)),
    Stage("first call", (913.0, 870.5, 1001.25)),
    Stage("hot call", (88.25, 87.5, 90.0)),
)


def made_measurement(*operators: OperatorMeasurement, **changes: Any) -> Measurement:
    facts: dict[str, Any] = {
        "opwright": "0.1.0",
        "command": "opwright bench bias_gelu --html FILE",
        "started_at": "2026-01-01T00:00:00+00:00",
        "environment": {"torch": "2.13.0", "python": "3.11.7", "cpu": "Some CPU", "gpus": []},
        "machine": {
            "policy": "governed",
            "before": {"host": {"load": 0.25, "mhz": 2400.0}, "device": None},
            "after": {"host": {"load": 1.5, "mhz": 2395.5}, "device": None},
        },
    }
    return Measurement(**{**facts, **changes}, operators=operators)


FULL = made_measurement(made_operator(), made_operator("start", rows=(), ratios=(), stages=STAGES))
EMPTY = made_measurement(environment={}, machine={})
# What is there when almost nothing could be found out.
BARE = made_measurement(
    made_operator(
        rows=(
            made_row(
                series=(Series(0, (), 0, "time limit"),),
                estimate=Estimate(float("nan"), 0.0, float("inf"), 0, 0),
                sizes={},
                scalars={},
                memory_bytes={},
                roofline={},
                device={},
            ),
        ),
        ratios=(
            made_ratio("reference", "gone", verdict="cannot tell", ratio=None, low=None, high=None),
        ),
        stages=(Stage("cold build", ()),),
        artifact={},
        checked="",
    ),
    environment={},
    machine={},
)
ATTACKED = made_measurement(
    made_operator(
        HOSTILE,
        schema=HOSTILE,
        location=HOSTILE,
        target=HOSTILE,
        label=HOSTILE,
        checked=HOSTILE,
        artifact={"digest": HOSTILE},
        rows=tuple(
            made_row(
                subject,
                HOSTILE * 3,
                unreliable=(HOSTILE,),
                scalars={HOSTILE: HOSTILE},
                device={HOSTILE: {HOSTILE: HOSTILE}, "clock": "x" * 400},
                series=(Series(0, (1.0, 2.0), 0, HOSTILE),),
            )
            for subject in ("operator", HOSTILE)
        ),
        ratios=(RatioRecord(HOSTILE, HOSTILE, HOSTILE, "cannot tell", HOSTILE, 0.5, 0.4, 0.6),),
        stages=(Stage(HOSTILE, (1.0,)),),
    ),
    command=HOSTILE,
    started_at=HOSTILE,
    opwright=HOSTILE,
    environment={HOSTILE: HOSTILE},
    machine={HOSTILE: {HOSTILE: HOSTILE}},
)
