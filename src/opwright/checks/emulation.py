"""Emulation: every memory access of the kernels is watched, in several orders of blocks and threads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from opwright.binding.emulation import Emulation
from opwright.checks.judging.emulated import finding_of
from opwright.checks.judging.outputs import expect, findings_of, judge_call, run_operator
from opwright.checks.judging.refusals import refused
from opwright.checks.long_launch import HOW, long_cases, run_long
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.records.kernels import CountedKernel
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, large_size_sets, size_sets
from opwright.watch.poison import PATTERNS, poisoned_allocations

ORDERS = ("forward", "reverse", "random:1")
# A watched access takes a hundred times as long as one that is not.
_SMALL_ELEMENTS, _LARGE_ELEMENTS = 1 << 12, 1 << 15
_SIZES = 6
# Notes on what a device would be slow at.
_HINTS = ("divergence", "uncoalesced", "bank_conflict")


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Small sizes of all kinds and one large set, for every dtype; further scalar values at one size.

    And one with more elements than 32 bits can count.
    """
    for choice, scalars in enumerate(scalar_choices(spec)):
        for dtypes in dtype_choices(spec):
            for sizes in _sizes(spec, scalars, few=choice > 0):
                yield Case("emulation", case_name(sizes, dtypes, scalars), dtypes, sizes, scalars)
    yield from _offset_cases(spec)
    yield from long_cases(spec)


def _offset_cases(spec: OperatorSpec) -> Iterator[Case]:
    """Tensors that begin one element later, which no vector of several elements is aligned to."""
    scalars = scalar_choices(spec)[0]
    offset = {argument.name: "offset 1" for argument in spec.schema.tensors}
    for sizes in large_size_sets(spec, scalars, count=1, max_elements=_LARGE_ELEMENTS):
        for dtypes in dtype_choices(spec):
            name = case_name(sizes, dtypes, None, (), "offset 1")
            yield Case("emulation", name, dtypes, sizes, scalars, offset)


def _sizes(spec: OperatorSpec, scalars: dict[str, Any], *, few: bool) -> list[Sizes]:
    small = size_sets(spec, scalars, count=1 if few else _SIZES, max_elements=_SMALL_ELEMENTS)
    large = large_size_sets(spec, scalars, count=1, max_elements=_LARGE_ELEMENTS)
    return small + [sizes for sizes in large if not few and sizes not in small]


@dataclass
class _Seen:
    """What the runs of one case have shown."""

    findings: dict[tuple[Any, ...], Finding]
    wrong_in: dict[str, tuple[Finding, ...]]
    kernels: list[CountedKernel]
    refused_in: dict[str, str]


def run(case: Case, subject: Subject) -> Outcome:
    """Call once in each order; what the emulator saw, and results that only one order gets right."""
    emulation = subject.emulation
    assert emulation is not None, "this check is planned for emulated targets alone"
    if case.extra.get("how") == HOW:
        return run_long(case, subject, emulation)
    seen = _Seen({}, {}, [], {})
    for order in ORDERS:
        _run_in(order, case, subject, emulation, seen)
    emulation.set("order", ORDERS[0])
    emulation.reset()  # what it saw is told
    found = (*seen.findings.values(), *_dependence(seen))
    if found:
        return failed(*found, figures={"kernels": seen.kernels})
    notes = tuple(dict.fromkeys(seen.refused_in.values()))
    return passed({"kernels": seen.kernels}, notes)


def _run_in(order: str, case: Case, subject: Subject, emulation: Emulation, seen: _Seen) -> None:
    call = make_call(subject.spec, case)
    expected = expect(subject.spec, case, call)
    emulation.reset()
    emulation.set("order", order)
    try:
        # An output that nobody writes would else hold the right answer of the order before.
        with poisoned_allocations(PATTERNS[0]):
            results = run_operator(subject, call)
    except Exception as error:
        seen.refused_in[order] = f"refused: {refused(error)}"
    else:
        comparison = judge_call(expected, results, call)
        if comparison.reasons:
            seen.wrong_in[order] = findings_of(comparison)
    emulation.finish()
    lines = emulation.findings()
    for said in lines:
        if said["level"] == "finding":
            finding = finding_of(said)
            seen.findings.setdefault((finding.kind, finding.message), finding)
    seen.kernels = seen.kernels or [_counted(kernel, lines) for kernel in emulation.kernels()]


def _counted(kernel: dict[str, Any], lines: list[dict[str, Any]]) -> CountedKernel:
    noted = [said for said in lines if said["kind"] in _HINTS]
    hints = [said for said in noted if said["kernel"] == kernel["kernel"]]
    return cast("CountedKernel", {**kernel, "hints": hints})


def _dependence(seen: _Seen) -> Iterator[Finding]:
    """Wrong in some orders and right in others: a race that no watched access told of."""
    if seen.wrong_in and len(seen.wrong_in) < len(ORDERS):
        wrong = ", ".join(seen.wrong_in)
        first = next(iter(seen.wrong_in.values()))[0]
        yield Finding(
            "order dependence",
            f"right in some orders of blocks and threads, wrong in others ({wrong}): {first.message}",
            {"orders": list(seen.wrong_in)},
        )
    elif seen.wrong_in:
        yield from next(iter(seen.wrong_in.values()))
    if seen.refused_in and len(seen.refused_in) < len(ORDERS):
        where = ", ".join(seen.refused_in)
        yield Finding(
            "order dependence",
            f"runs in some orders of blocks and threads, and not in others ({where}): "
            f"{next(iter(seen.refused_in.values()))}",
            {"orders": list(seen.refused_in)},
        )


CHECK = Check(
    "emulation",
    "the emulator, which sees every memory access, finds no race, no stray access and no unmet wait",
    cases,
    run,
    build="watched",
    kinds=("emulated",),
)
