"""The shipped operators' device code, on waves of both sizes: nothing is found in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

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
TOGETHER = ("layer_norm", "rms_norm", "row_softmax", "transpose")
ON_WAVES = [
    pytest.param(name, target, id=f"{name}-{target.architecture}")
    for name in OPERATORS
    for target in WAVES
    if name in TOGETHER or target.architecture == "wave32"
]
CHECKS = ("empty", "coverage", "numerics")


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    with checking() as started:
        yield started


def without_a_fault(cases: list[CaseRecord]) -> bool:
    wrong = [case for case in cases if case.outcome.verdict in ("fail", "error")]
    assert not wrong, "\n".join(f"{case.check}/{case.name}: {case.outcome}" for case in wrong)
    return any(case.outcome.verdict == "pass" for case in cases)


def test_every_shipped_operator_has_device_code() -> None:
    assert sorted(installed_names()) == OPERATORS
    assert len(OPERATORS) >= 8


@pytest.mark.parametrize(("name", "target"), ON_WAVES)
def test_checks_find_nothing(name: str, target: Target, worker: Worker) -> None:
    record = check_operator(worker, name, find_one(name), target, only=CHECKS)
    assert without_a_fault(list(record.cases))


@pytest.mark.parametrize(("name", "target"), ON_WAVES)
def test_no_access_is_astray_and_no_order_matters(
    name: str, target: Target, worker: Worker
) -> None:
    assert without_a_fault(list(watched_cases(worker, name, find_one(name), target)))


@pytest.mark.parametrize("name", TOGETHER)
def test_sanitizers_find_nothing(name: str) -> None:
    assert without_a_fault(list(sanitizer_cases(name, find_one(name), WAVES[1])))
