"""Check one operator: build, plan, run every case in a worker, and make failing ones small."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from opwright.binding.attach import require_whole
from opwright.binding.dispatch import dispatch_key
from opwright.checks.protocol import Check
from opwright.checks.table import CHECKS, choose
from opwright.devices.device import require_device
from opwright.errors import LoadError
from opwright.records.artifact import Artifact
from opwright.records.run import OperatorRecord
from opwright.session.building import FAULTS_OF_ONE, build_operator
from opwright.session.cases import (
    BuiltBackward,
    Watcher,
    put_under_test,
    run_case,
    run_cases,
)
from opwright.session.recording import operator_record
from opwright.session.shrinking import with_reproductions
from opwright.session.subject import COMPILER, PRELOAD, SETUP
from opwright.session.whole import with_whole
from opwright.spec.case import Case
from opwright.spec.described import Described
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import HOST, Target
from opwright.watch.poison import poisonable_environment
from opwright.worker import Limits, Worker

# By default OpenMP's threads wait for one another without letting go of their processor: beside other
# work, a case with a million elements took ten times as long.
_THREADS_SLEEP = {"OMP_WAIT_POLICY": "passive"}


@contextmanager
def checking(
    checks: Iterable[Check] = CHECKS,
    *,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
) -> Iterator[Worker]:
    """A worker for any number of operators. Enter it early: it imports what the checks need meanwhile.

    ``environment`` is laid over this process's own. OpenMP's threads sleep while they wait, unless
    OMP_WAIT_POLICY says otherwise.
    """
    waiting = {name: os.environ.get(name, value) for name, value in _THREADS_SLEEP.items()}
    own = {**waiting, **poisonable_environment(), **(environment or {})}
    preload = (*PRELOAD, *(COMPILER if any(check.compiles for check in checks) else ()))
    with Worker(SETUP, preload=preload, limits=limits, environment=own) as worker:
        yield worker


def check_operator(
    worker: Worker,
    operator: str,
    described: Described,
    target: Target,
    *,
    only: Sequence[str] = (),
    binding: str | None = None,
    watcher: Watcher | None = None,
    shrinks: bool = False,
) -> OperatorRecord:
    """Build one operator, run every planned case of that build in the worker, and return the record.

    ``operator`` is what finds it again in another process (`opwright.discovery.find_one`). With
    ``shrinks``, failing cases are made smaller, and written as programs that show the fault.
    Raises what a build raises; what the operator does wrong is in the record.
    """
    started = time.monotonic()
    spec = described.spec
    dispatch_key(target)  # what cannot be run here is refused before anything is built
    require_device(target)
    checks = [check for check in choose(only, target) if check.build == "plain"]
    trains = any(check.takes_gradients for check in checks)
    backwards = [built_backward(one, target, binding) for one in spec.backwards if trains]
    artifact = with_whole(
        partial(build_operator, spec, target, binding=binding),
        partial(_put_under_test, worker, operator, target, backwards),
    )
    cases, unplanned = plan(spec, checks, target)
    records = run_cases(worker, spec.name, cases, watcher=watcher)
    whole = operator_record(
        spec,
        target,
        records,
        artifact=artifact,
        unplanned=unplanned,
        seconds=time.monotonic() - started,
    )
    return _shown_small(whole, worker, operator, spec) if shrinks else whole


def built_backward(spec: OperatorSpec, target: Target, binding: str | None) -> BuiltBackward:
    """A backward's whole library for ``target``, or why there is none: its own record says more."""
    if lacking := spec.lacks_kernels_for(target):
        return BuiltBackward(lacking=lacking)
    try:
        build = partial(build_operator, spec, target, binding=binding)
        return BuiltBackward(with_whole(build, _require_whole))
    except (*FAULTS_OF_ONE, LoadError) as error:
        return BuiltBackward(lacking=f"{spec.name} does not build: {error.what.splitlines()[0]}")


def _require_whole(artifact: Artifact | None) -> None:
    if artifact is not None:
        require_whole(artifact)


def _put_under_test(
    worker: Worker,
    operator: str,
    target: Target,
    backwards: Sequence[BuiltBackward],
    artifact: Artifact | None,
) -> None:
    """The operator with its backwards; without them where one of theirs does not load.

    Raises `LoadError` for the operator's own library.
    """
    try:
        put_under_test(worker, operator, target, artifact, backwards=backwards)
    except LoadError as error:
        without = [BuiltBackward(lacking=error.what.splitlines()[0])] * len(backwards)
        put_under_test(worker, operator, target, artifact, backwards=without)


def plan(
    spec: OperatorSpec, checks: Iterable[Check], target: Target = HOST
) -> tuple[list[Case], dict[str, str]]:
    """Every case of the checks, in order, and why there is none of a check that has none."""
    plans = {check.name: check.plan(spec, target) for check in checks}
    cases = [case for each in plans.values() for case in each.cases]
    return cases, {name: each.why_none for name, each in plans.items() if not each.cases}


def _shown_small(
    record: OperatorRecord, worker: Worker, operator: str, spec: OperatorSpec
) -> OperatorRecord:
    started = time.monotonic()
    record = with_reproductions(record, operator, spec, partial(run_case, worker))
    return replace(record, seconds=record.seconds + time.monotonic() - started)
