"""Check one operator: build, plan, run every case in a worker, and make failing ones small."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from opwright.binding.dispatch import dispatch_key
from opwright.checks.protocol import Check
from opwright.checks.table import choose
from opwright.devices.device import require_device
from opwright.errors import CompileError, SpecError
from opwright.records.run import OperatorRecord
from opwright.session.building import build_operator
from opwright.session.cases import (
    BuiltBackward,
    Watcher,
    put_under_test,
    run_case,
    run_cases,
)
from opwright.session.recording import operator_record
from opwright.session.shrinking import with_reproductions
from opwright.session.subject import PRELOAD, SETUP
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
    *, limits: Limits | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[Worker]:
    """A worker for any number of operators. Enter it early: it imports torch meanwhile.

    ``environment`` is laid over this process's own. OpenMP's threads sleep while they wait, unless
    OMP_WAIT_POLICY says otherwise.
    """
    waiting = {name: os.environ.get(name, value) for name, value in _THREADS_SLEEP.items()}
    own = {**waiting, **poisonable_environment(), **(environment or {})}
    with Worker(SETUP, preload=PRELOAD, limits=limits, environment=own) as worker:
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
    artifact = with_whole(
        partial(build_operator, spec, target, binding=binding),
        partial(
            put_under_test,
            worker,
            operator,
            target,
            backwards=[built_backward(one, target, binding) for one in spec.backwards],
        ),
    )
    checks = [check for check in choose(only, target) if check.build == "plain"]
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
    """A backward's library for ``target``, or why there is none: its own record says more."""
    if spec.implementation == "generated" and not spec.sources_for(target)[1]:
        return BuiltBackward(lacking=f"{spec.name} has no sources for target {target}")
    try:
        return BuiltBackward(build_operator(spec, target, binding=binding))
    except (CompileError, SpecError) as error:
        return BuiltBackward(lacking=f"{spec.name} does not build: {error.what.splitlines()[0]}")


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
