"""Large: offsets past 2^31 elements give right values or a refusal; on memory of which little exists."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from opwright.checks.device.placed import placed, run_kernel
from opwright.checks.judging.outputs import (
    expect,
    findings_of,
    judge_call,
    output_names,
    run_operator,
)
from opwright.checks.judging.refusals import refused, unclear
from opwright.checks.planning.choices import (
    case_name,
    dtype_choices,
    scalar_choices,
    smallest_dtypes,
)
from opwright.checks.protocol import Check, Subject
from opwright.checks.structure.rows import Rows, rows_of, take_rows
from opwright.inputs.call import Call, make_call, reference_results
from opwright.inputs.sparse import (
    PAST_INT32,
    Elements,
    far_rows,
    has_rows,
    sparse_elements,
)
from opwright.judge import judge, set_standards
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets
from opwright.worker.memory import free_bytes

_MOST_SECONDS = 5.0
_PROBES = (1 << 12, 1 << 16, 1 << 20)  # elements
_HOPELESS_SECONDS = 300.0
_WINDOW_ROWS = 4


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Rows far apart, for every dtype; rows so many that their elements pass 2^31, in the smallest one."""
    scalars = scalar_choices(spec)[0]
    for sizes in roomy_size_sets(spec, scalars, count=1):
        for dtypes in dtype_choices(spec):
            name = case_name(sizes, dtypes, None, (), "rows far apart")
            case = Case("large", name, dtypes, sizes, scalars, extra={"how": "far"})
            if any(has_rows(tensor) for tensor in make_call(spec, case).tensors.values()):
                yield case
        if rows_of(spec) and not any(argument.mutated for argument in spec.schema.tensors):
            smallest = smallest_dtypes(spec)
            name = case_name({}, smallest, None, (), "many rows").removeprefix("- ")
            yield Case("large", name, smallest, sizes, scalars, extra={"how": "many"})


def run(case: Case, subject: Subject) -> Outcome:
    """Judge what comes out; without room or time for it, say how much it would take."""
    try:
        return (_far if case.extra["how"] == "far" else _many)(case, subject)
    except OSError as error:
        return not_checked(f"no sparse file can be mapped: {error}")


@dataclass(frozen=True)
class _Room:
    """Where the gigabytes are: ``elements`` makes memory of zeros, ``run`` calls with tensors there."""

    elements: Elements
    free_bytes: Callable[[], int]
    run: Callable[[Call], list[torch.Tensor]]
    place: Callable[[Call], Call]


def _room(subject: Subject) -> _Room:
    """On the host a mapping of which only the touched pages exist; on a device, memory of its own."""
    device = subject.device
    if device is None:
        return _Room(
            sparse_elements, free_bytes, lambda call: run_operator(subject, call), lambda call: call
        )

    def run_there(call: Call) -> list[torch.Tensor]:
        results = run_kernel(subject, call)
        device.synchronize()
        return results

    return _Room(device.elements, device.free_bytes, run_there, lambda call: placed(call, device))


def _far(case: Case, subject: Subject) -> Outcome:
    """Two or more rows at the ends of a mapping of gigabytes, of which only their pages exist."""
    room, call = _room(subject), make_call(subject.spec, case)
    expected = expect(subject.spec, case, call)
    there = room.place(call)
    far = _far_tensors(room, there, bounded=subject.device is not None)
    if not far:
        return not_checked("rows so far apart need more memory than the device has to spare")
    what = f"with rows of {', '.join(f'`{name}`' for name in far)} 2^31 elements apart"
    try:
        results = [t.cpu() for t in room.run(Call(subject.spec, {**there.arguments, **far}))]
    except Exception as error:
        finding = unclear(error, what)
        return failed(finding) if finding else passed(notes=(f"refused: {refused(error)}",))
    comparison = judge_call(expected, results, call)
    return failed(*_wrong(findings_of(comparison), what)) if not comparison.passed else passed()


def _far_tensors(room: _Room, call: Call, *, bounded: bool) -> dict[str, torch.Tensor]:
    """The tensors with rows that have room for them; a device has no memory that does not exist."""
    left = room.free_bytes() // 2
    moved: dict[str, torch.Tensor] = {}
    for name, tensor in call.tensors.items():
        if not has_rows(tensor):
            continue
        needed = tensor.element_size() * len(tensor) * PAST_INT32
        if bounded and needed > left:
            continue
        left -= needed
        far = far_rows(tensor, room.elements)
        if far is not None:
            moved[name] = far
    return moved


def _many(case: Case, subject: Subject) -> Outcome:
    """More than 2^31 elements; rows at both ends and around the 2^31st are compared."""
    rows = rows_of(subject.spec)
    assert rows is not None, "the plan leaves out what has no rows"
    small = make_call(subject.spec, case)
    if not _row_by_row(rows, small):
        return not_checked("in the reference a row depends on the others: parts cannot be compared")
    row = max(small.arguments[name][0].numel() for name in rows.inputs if name in small.tensors)
    count = -(-PAST_INT32 // row)
    outputs = reference_results(subject.spec, small, wide=False)
    room = _room(subject)
    needed = sum(t.element_size() * t[0].numel() * count for t in outputs)
    if subject.device is not None:  # there inputs take memory, too
        inputs = (small.arguments[name] for name in rows.inputs if name in small.tensors)
        needed += sum(t.element_size() * t[0].numel() * count for t in inputs)
    if needed > room.free_bytes() // 2:
        return not_checked(f"tensors of {needed / 1e9:.1f} GB need twice that in free memory")
    runs_there = subject.device is not None and subject.emulation is None
    seconds = 0.0 if runs_there else _seconds(subject, rows, small, row) * PAST_INT32
    if seconds > _MOST_SECONDS:
        return not_checked(
            f"a call with 2^31 elements would take {seconds:.0f} s, and may take {_MOST_SECONDS:.0f} s"
        )
    places = {"at the start": 0, "around element 2^31": (1 << 31) // row - 1}
    places["at the end"] = count - _WINDOW_ROWS
    large = _sparse_call(rows, room.place(small), count, places.values(), room.elements)
    try:
        results = room.run(large)
    except Exception as error:
        finding = unclear(error, f"with {count:,} rows")
        return failed(finding) if finding else passed(notes=(f"refused: {refused(error)}",))
    findings = [
        finding
        for where, first in places.items()
        for finding in _wrong(
            _in_window(rows, large, results, first), f"with {count:,} rows, {where}"
        )
    ]
    return failed(*findings) if findings else passed({"elements": count * row})


def _in_window(
    rows: Rows, large: Call, results: list[torch.Tensor], first: int
) -> tuple[Finding, ...]:
    """What is wrong with the rows of one window."""
    last = first + _WINDOW_ROWS
    part = _on_host(take_rows(rows, large, first, last))
    standards = set_standards(
        reference_results(large.spec, part, wide=False),
        reference_results(large.spec, part, wide=True),
    )
    names = output_names(large.spec, part)
    return findings_of(judge([t[first:last].cpu() for t in results], standards, names=names))


def _on_host(call: Call) -> Call:
    return Call(call.spec, {**call.arguments, **{n: t.cpu() for n, t in call.tensors.items()}})


def _wrong(findings: tuple[Finding, ...], what: str) -> list[Finding]:
    return [
        Finding(
            "wrong past 2^31 elements",
            f"{what}: {finding.message}. Use int64_t for every index, stride and product of sizes.",
            {**finding.details, "kind": finding.kind},
        )
        for finding in findings
    ]


def _row_by_row(rows: Rows, call: Call) -> bool:
    whole = reference_results(call.spec, call, wide=True)
    part = reference_results(call.spec, take_rows(rows, call, 1, 2), wide=True)
    return all(torch.allclose(a[1:2], b, equal_nan=True) for a, b in zip(whole, part, strict=True))


def _seconds(subject: Subject, rows: Rows, call: Call, row: int) -> float:
    """Time of one element, on pages that nobody has touched before: that is half of it.

    A few elements first: where they take long already, more would look like a hang.
    """
    run_operator(subject, call)
    seconds = 0.0
    for probe in _PROBES:
        larger = _sparse_call(rows, call, max(2, probe // row), ())
        started = time.perf_counter()
        run_operator(subject, larger)
        seconds = (time.perf_counter() - started) / probe
        if seconds * PAST_INT32 > _HOPELESS_SECONDS:
            break
    return seconds


def _sparse_call(
    rows: Rows, call: Call, count: int, windows: Any, elements: Elements = sparse_elements
) -> Call:
    """The call with ``count`` rows: its own rows again in the windows, zeros everywhere else."""
    changed: dict[str, torch.Tensor] = {}
    for name in rows.inputs:
        value = call.arguments[name]
        if not isinstance(value, torch.Tensor):
            continue
        shape = (count, *value.shape[1:])
        large = elements(count * value[0].numel(), value.dtype).view(shape)
        for first in windows:
            part = large[first : first + _WINDOW_ROWS]
            part.copy_(value[torch.arange(len(part), device=value.device) % len(value)])
        changed[name] = large
    return Call(call.spec, {**call.arguments, **changed})


def _why_none(spec: OperatorSpec) -> str:
    if any(argument.mutated for argument in spec.schema.tensors):
        return (
            "an argument is written to, and no tensor of declared sizes has rows to put far apart"
        )
    return "the operator has no rows, and no tensor of declared sizes has any to put far apart"


CHECK = Check(
    "large",
    "offsets past 2^31 elements give the right values or a clear refusal",
    cases,
    run,
    why_none=_why_none,
)
