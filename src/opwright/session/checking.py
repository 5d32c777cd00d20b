"""Check operators: build, plan, run every case in a worker, and put down what came of it."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from opwright.binding.dispatch import dispatch_key
from opwright.checks.protocol import Check
from opwright.checks.table import choose
from opwright.discovery import Described
from opwright.files import why_no_file
from opwright.records.artifact import Artifact
from opwright.records.run import OperatorRecord
from opwright.session.building import build_operator
from opwright.session.cases import Watcher, put_under_test, run_case, run_cases
from opwright.session.shrinking import with_reproductions
from opwright.session.subject import PRELOAD, SETUP
from opwright.session.whole import with_whole
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import HOST, Target
from opwright.watch.poison import poisonable_environment
from opwright.worker import Limits, Worker

# What a label says of a record: what kind of run it was. A CPU runs its kernels itself.
LABELS = {
    "cpu": "hardware",
    "cuda": "hardware",
    "hip": "hardware",
    "emulated": "emulated",
    "simulated": "simulated",
}
# What a run of such a kind can say nothing of.
UNCLAIMED = {
    "emulated": {
        "memory order": "only the chip shows in which order its threads see each other's writes",
        "timing": "an emulator's speed is not the device's",
    },
}


@contextmanager
def checking(
    *, limits: Limits | None = None, environment: Mapping[str, str] | None = None
) -> Iterator[Worker]:
    """A worker for any number of operators. Enter it early: it imports torch meanwhile.

    ``environment`` is laid over this process's own.
    """
    own = {**poisonable_environment(), **(environment or {})}
    with Worker(SETUP, preload=PRELOAD, limits=limits, environment=own) as worker:
        yield worker


def label_of(target: Target) -> str:
    """What kind of run a run on ``target`` is."""
    return "HIP source on NVIDIA" if target.source == "hip" else LABELS[target.kind]


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
    """Build one operator, run every planned case in the worker, and return the record.

    ``operator`` is what finds it again in another process (`opwright.discovery.find_one`). With
    ``shrinks``, failing cases are made smaller, and written as programs that show the fault.
    Raises what a build raises; what the operator does wrong is in the record.
    """
    started = time.monotonic()
    spec = described.spec
    dispatch_key(target)  # refused before anything is built
    artifact = with_whole(
        partial(build_operator, spec, target, binding=binding),
        partial(put_under_test, worker, operator, target),
    )
    cases, unplanned = plan(spec, choose(only, target), target)
    records = run_cases(worker, spec.name, cases, watcher=watcher)
    whole = OperatorRecord(
        name=spec.name,
        schema=spec.schema.text,
        implementation=spec.implementation,
        location=str(spec.location),
        sources_digest=sources_digest(spec, target),
        target=str(target),
        label=label_of(target),
        artifact=_artifact_facts(artifact),
        cases=records,
        seconds=time.monotonic() - started,
        unplanned=unplanned,
        unclaimed=UNCLAIMED.get(target.kind, {}),
    )
    return _shown_small(whole, worker, operator, spec) if shrinks else whole


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


def sources_digest(spec: OperatorSpec, target: Target) -> str:
    """SHA-256 over the description and the sources that it names for the target; ``OSError`` for no file."""
    names = spec.extension.sources if spec.extension else spec.sources_for(target)[1]
    digest = hashlib.sha256(spec.location.file.read_bytes())
    for name in names:
        path = spec.folder / name
        if why := why_no_file(path):  # whoever opens a named pipe waits
            raise OSError(f"{path} {why}")
        digest.update(name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _artifact_facts(artifact: Artifact | None) -> dict[str, Any]:
    if artifact is None:
        return {}
    facts: dict[str, Any] = {
        k: artifact.facts[k] for k in ("kind", "binding") if k in artifact.facts
    }
    return {
        "build_key": artifact.build_key,
        "digest": artifact.digest,
        "hit": artifact.hit,
        "seconds": artifact.seconds,
        "reason": artifact.reason,
        **facts,
    }
