"""The shipped operators' device code, on waves of both sizes: nothing is found in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest

from opwright.checks.table import choose
from opwright.discovery import find_one, installed_names
from opwright.records.run import CaseRecord
from opwright.session.checking import check_operator, checking
from opwright.session.emulating import watched_cases
from opwright.session.sanitizing import sanitizer_cases
from opwright.spec.target import Target
from opwright.worker import Worker

pytestmark = pytest.mark.slow  # three builds for each

OPERATORS = sorted(name for name in installed_names() if "cuda" in find_one(name).spec.sources)
WAVES = [Target("emulated", "wave32"), Target("emulated", "wave64")]
# Kernels whose threads work together are tried on waves of both sizes, and sanitized as well; for the
# others a wave's size decides nothing.
TOGETHER = (
    *("dynamic_quant", "layer_norm", "moe_gating_top_k_softmax", "rms_norm", "row_softmax"),
    "transpose",
)
CHECKS = ("empty", "coverage", "numerics")
FURTHER = [pytest.mark.exhaustive]


def on_waves(always: Mapping[str, Sequence[Target]]) -> list[Any]:
    """Everything there is to try; ``always`` is what is tried not only where all is asked for."""
    return [
        pytest.param(
            name,
            target,
            id=f"{name}-{target.architecture}",
            marks=[] if target in always.get(name, ()) else FURTHER,
        )
        for name in OPERATORS
        for target in WAVES
        if name in TOGETHER or target is WAVES[0]
    ]


# One whose threads work alone, and three in which they work together differently.
CHECKED = {
    **dict.fromkeys(("bias_gelu", "layer_norm", "transpose"), WAVES[:1]),
    "row_softmax": WAVES[1:],
}
WATCHED = {"transpose": WAVES[:1], "row_softmax": WAVES[1:]}
BACKWARDS = [
    pytest.param(
        f"{find_one(name).spec.location.file}:{backward.name}",
        target,
        id=f"{backward.name}-{target.architecture}",
        marks=[] if name == "layer_norm" and target is WAVES[1] else FURTHER,
    )
    for name in OPERATORS
    for backward in find_one(name).spec.backwards
    for target in WAVES
]
SANITIZED = [
    pytest.param(name, marks=[] if name == "row_softmax" else FURTHER) for name in TOGETHER
]


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with checking(choose(CHECKS)) as started:
        yield started


def without_a_fault(cases: list[CaseRecord]) -> bool:
    wrong = [case for case in cases if case.outcome.verdict in ("fail", "error")]
    assert not wrong, "\n".join(f"{case.check}/{case.name}: {case.outcome}" for case in wrong)
    return any(case.outcome.verdict == "pass" for case in cases)


def test_every_shipped_operator_has_device_code() -> None:
    assert sorted(installed_names()) == OPERATORS
    assert len(OPERATORS) >= 8


@pytest.mark.parametrize(("name", "target"), on_waves(CHECKED))
def test_checks_find_nothing(name: str, target: Target, worker: Worker) -> None:
    record = check_operator(worker, name, find_one(name), target, only=CHECKS)
    assert without_a_fault(list(record.cases))


@pytest.mark.parametrize(("text", "target"), BACKWARDS)
def test_checks_find_nothing_in_backwards(text: str, target: Target, worker: Worker) -> None:
    record = check_operator(worker, text, find_one(text), target, only=CHECKS)
    assert without_a_fault(list(record.cases))


@pytest.mark.parametrize(("name", "target"), on_waves(WATCHED))
def test_no_access_is_astray_and_no_order_matters(
    name: str, target: Target, worker: Worker
) -> None:
    assert without_a_fault(list(watched_cases(worker, name, find_one(name), target)))


@pytest.mark.parametrize("name", SANITIZED)
def test_sanitizers_find_nothing(name: str) -> None:
    assert without_a_fault(list(sanitizer_cases(name, find_one(name), WAVES[1])))
