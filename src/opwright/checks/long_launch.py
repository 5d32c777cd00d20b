"""A call with more than 2^31 elements on the emulator: whether its launches are accepted, and how it begins."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Callable, Iterator
from typing import Any

import torch

from opwright.binding.emulation import Emulation
from opwright.checks.judging.emulated import finding_of
from opwright.checks.judging.outputs import run_operator
from opwright.checks.judging.refusals import refused, unclear
from opwright.checks.planning.choices import (
    case_name,
    scalar_choices,
    smallest_dtypes,
)
from opwright.checks.protocol import Subject
from opwright.checks.structure.rows import rows_of
from opwright.inputs.call import Call, make_call
from opwright.inputs.sparse import PAST_INT32, sparse_elements
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets

HOW = "many"
_SECONDS = 5.0
_TRIES = 20


def long_cases(spec: OperatorSpec) -> Iterator[Case]:
    """One case of an operator that has rows, and writes to no argument: rows until there are 2^31 elements."""
    if rows_of(spec) is None or any(argument.mutated for argument in spec.schema.tensors):
        return
    scalars = scalar_choices(spec)[0]
    smallest = smallest_dtypes(spec)
    name = case_name({}, smallest, None, (), "many rows").removeprefix("- ")
    for sizes in roomy_size_sets(spec, scalars, count=_TRIES):
        case = Case("emulation", name, smallest, sizes, scalars, extra={"how": HOW})
        if all(tensor.numel() and tensor.dim() for tensor in _with_rows(case, spec).values()):
            yield case
            return


def run_long(case: Case, subject: Subject, emulation: Emulation) -> Outcome:
    """A launch that is refused is found at once; one that runs on is stopped, and was not checked."""
    try:
        call, rows = _long_call(case, subject.spec)
        said = _begin(lambda: run_operator(subject, call), emulation)
    except OSError as error:
        return not_checked(f"no sparse file can be mapped: {error}")
    if said is None:
        return not_checked(
            f"a launch with 2^31 elements was accepted, and stopped after {_SECONDS:.0f} s"
        )
    found = {
        finding.message: finding
        for line in said["findings"]
        if line["level"] == "finding"
        for finding in (_at_size(finding_of(line), rows),)
    }
    if said["unclear"]:
        found["unclear"] = Finding(**said["unclear"])
    return failed(*found.values()) if found else passed(notes=tuple(said["notes"]))


def _at_size(finding: Finding, rows: int) -> Finding:
    return Finding(finding.kind, f"with {rows:,} rows: {finding.message}", finding.details)


def _long_call(case: Case, spec: OperatorSpec) -> tuple[Call, int]:
    having = _with_rows(case, spec)
    count = -(-PAST_INT32 // max(tensor[0].numel() for tensor in having.values()))
    long = {
        name: sparse_elements(count * t[0].numel(), t.dtype).view(count, *t.shape[1:])
        for name, t in having.items()
    }
    return Call(spec, {**make_call(spec, case).arguments, **long}), count


def _with_rows(case: Case, spec: OperatorSpec) -> dict[str, torch.Tensor]:
    """The tensors of the small call whose first size is the number of rows."""
    rows = rows_of(spec)
    assert rows is not None, "the plan leaves out what has no rows"
    tensors = make_call(spec, case).tensors
    return {name: tensors[name] for name in rows.inputs if name in tensors}


def _begin(act: Callable[[], object], emulation: Emulation) -> dict[str, Any] | None:
    """What came of ``act`` in a process of its own; None where it had to be stopped."""
    emulation.reset()
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(writing, json.dumps(_acted(act, emulation)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    ready: list[int] = []
    try:
        ready, _, _ = select.select([reading], [], [], _SECONDS)
        text = b"".join(iter(lambda: os.read(reading, 1 << 16), b"")) if ready else b""
    finally:
        os.close(reading)
        if not ready:
            os.kill(pid, signal.SIGKILL)
        ended = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if ready and not text:
        message = f"with more than 2^31 elements the process ended with {ended}"
        return {"unclear": {"kind": "crash", "message": message}, "notes": [], "findings": []}
    return json.loads(text) if text else None


def _acted(act: Callable[[], object], emulation: Emulation) -> dict[str, Any]:
    emulation.set("threads", "1")  # the others stayed behind at the fork
    said: dict[str, Any] = {"unclear": None, "notes": []}
    try:
        act()
    except Exception as error:
        if finding := unclear(error, "with more than 2^31 elements"):
            said["unclear"] = {"kind": finding.kind, "message": finding.message}
        else:
            said["notes"] = [f"refused: {refused(error)}"]
    emulation.finish()
    return {**said, "findings": emulation.findings()}
