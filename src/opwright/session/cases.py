"""Run cases in a worker, one after the other, and put down what came of each."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from opwright.log import log
from opwright.records.artifact import Artifact, artifact_to_json
from opwright.records.run import CaseRecord, outcome_from_json
from opwright.records.verdict import Outcome, not_checked
from opwright.session.ends import MOST_ENDS, cause_of, ended_outcome, with_losses
from opwright.session.subject import SETUP
from opwright.spec.case import Case
from opwright.spec.target import Target
from opwright.worker import Ended, Result, Worker


@dataclass(frozen=True)
class Progress:
    """What a watcher is told: a case is done, and how many of those that are run together."""

    operator: str
    case: CaseRecord
    done: int
    total: int


@dataclass(frozen=True)
class BuiltBackward:
    """A backward's library, None for a callable; ``lacking`` says why there is none, empty where there is."""

    artifact: Artifact | None = None
    lacking: str = ""


Watcher = Callable[[Progress], None]
Judge = Callable[[Outcome, str], Outcome]
"""What a build of its own adds to an outcome, from that and what the case wrote to stderr."""


def payload_of(
    operator: str,
    artifact: Artifact | None,
    target: Target,
    backwards: Sequence[BuiltBackward] = (),
) -> dict[str, Any]:
    """What `opwright.session.subject.set_up` is given: where the operator is found, its libraries, its target."""
    return {
        "operator": operator,
        "artifact": plain_artifact(artifact),
        "target": str(target),
        "backwards": plain_backwards(backwards),
    }


def plain_artifact(artifact: Artifact | None) -> dict[str, Any] | None:
    """The artifact as data for a worker; None for a Python function, which has none."""
    return artifact_to_json(artifact) if artifact else None


def plain_backwards(backwards: Sequence[BuiltBackward]) -> list[Any]:
    """What `opwright.session.subject.attach_backwards` takes, as data for a worker."""
    return [[plain_artifact(one.artifact), one.lacking] for one in backwards]


def put_under_test(
    worker: Worker,
    operator: str,
    target: Target,
    artifact: Artifact | None,
    *,
    backwards: Sequence[BuiltBackward] = (),
) -> None:
    """Have the worker load the operator's library (None for a callable), ready for the next case.

    ``backwards`` are loaded beside it, where gradients will be asked for.

    Raises `LoadError` for a library that is not whole or does not load, `WorkerError` where the process
    cannot be set up for another reason.
    """
    worker.use(payload_of(operator, artifact, target, backwards), setup=SETUP)
    worker.prepare()


def run_cases(
    worker: Worker,
    name: str,
    cases: Sequence[Case],
    *,
    judge: Judge | None = None,
    watcher: Watcher | None = None,
) -> tuple[CaseRecord, ...]:
    """Run every case, in order, on what has been put under test; ``name`` is the operator's.

    A case is done, and ``watcher`` told, when its process has come to the next one: what it dies of
    until then is found on that case. Raises `WorkerError` for a process that cannot be set up.
    """
    records: list[CaseRecord] = []
    for record in _settled(worker, cases, judge):
        records.append(record)
        if watcher is not None:
            watcher(Progress(name, record, len(records), len(cases)))
    return tuple(records)


def run_case(worker: Worker, case: Case) -> Outcome:
    """What came of one case. Where the operator may have made the reference crash, a fresh process tells."""
    return _outcome(_result(worker, case))


def _settled(worker: Worker, cases: Sequence[Case], judge: Judge | None) -> Iterator[CaseRecord]:
    """The record of each case, once nothing more can be found on it."""
    ends: Counter[tuple[str, str]] = Counter()  # by check and cause
    worker.take_losses()  # of what it ran before
    open_records: list[CaseRecord] = []  # one that was run, and those after it that were not
    for case in cases:
        spent = next((why for why, most in MOST_ENDS.items() if ends[case.check, why] >= most), "")
        if spent:
            open_records.append(_not_run(case, spent))
            continue
        started = time.monotonic()
        result = _result(worker, case)
        outcome = _outcome(result)
        if isinstance(result, Ended):
            ends[case.check, cause_of(result)] += 1
        if judge is not None:
            outcome = judge(outcome, worker.output.stderr)
        seconds = time.monotonic() - started
        yield from _with_losses(open_records, worker.take_losses())
        open_records = [CaseRecord(case.check, case.name, case.to_json(), outcome, seconds)]
    if open_records:
        yield from _with_losses(open_records, worker.end_child())


def _with_losses(records: list[CaseRecord], losses: Sequence[Ended]) -> Iterator[CaseRecord]:
    for record in records[:1]:
        yield with_losses(record, losses)
    yield from records[1:]


def _not_run(case: Case, spent: str) -> CaseRecord:
    reason = f"this check has had {MOST_ENDS[spent]} ends of kind {spent!r}: mend those first"
    return CaseRecord(case.check, case.name, case.to_json(), not_checked(reason), 0.0)


def _result(worker: Worker, case: Case) -> Result:
    result = next(worker.run([case.to_json()]))
    if isinstance(result, Ended) and result.in_reference and result.operator_ran:
        again = next(worker.run([case.to_json()]))
        return again if isinstance(again, Ended) else result
    return result


def _outcome(result: Result) -> Outcome:
    if not isinstance(result, Ended):
        return outcome_from_json(result)
    log("check.ended", result.message, outcome=result.kind, in_reference=result.in_reference)
    return ended_outcome(result)
