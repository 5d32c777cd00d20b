"""Coverage: every element of every fresh output is written, whatever the memory held before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from opwright.checks.device.placed import device_of, placed, run_kernel
from opwright.checks.judging.outputs import run_operator
from opwright.checks.judging.programs import Program, in_memory
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import size_sets
from opwright.watch.poison import PATTERNS, poisoned_allocations

_SIZES = 12


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Odd and edge sizes, where tails are forgotten; every dtype."""
    if not spec.schema.fresh_returns:
        return
    scalars = scalar_choices(spec)[0]
    for sizes in size_sets(spec, scalars, count=_SIZES):
        for dtypes in dtype_choices(spec):
            yield Case("coverage", case_name(sizes, dtypes), dtypes, sizes, scalars)


def run(case: Case, subject: Subject) -> Outcome:
    """Call twice on memory with two patterns: what keeps both was never written."""
    results_on = _on_host if subject.device is None else _on_device
    found: list[list[torch.Tensor]] = []
    for pattern in PATTERNS:
        results = results_on(case, subject, pattern)
        if results is None:
            return not_checked("the memory that an output gets here cannot be filled before")
        fresh = results[: len(subject.spec.schema.fresh_returns)]
        found.append([tensor.detach().contiguous() for tensor in fresh])
    names = [item.name for item in subject.spec.schema.fresh_returns]
    findings = [
        finding
        for name, first, second in zip(names, found[0], found[1], strict=True)
        if (finding := _unwritten(name, first, second)) is not None
    ]
    return failed(*findings) if findings else passed()


def _on_host(case: Case, subject: Subject, pattern: int) -> list[torch.Tensor] | None:
    call = make_call(subject.spec, case)
    with poisoned_allocations(pattern) as poisoned:
        return run_operator(subject, call) if poisoned else None


def _on_device(case: Case, subject: Subject, pattern: int) -> list[torch.Tensor] | None:
    device = device_of(subject)
    call = placed(make_call(subject.spec, case), device)
    with device.red_zones(pattern) as zones:
        results = run_kernel(subject, call)
        device.synchronize()
        filled = all(zones.holds(tensor) for tensor in results if tensor.numel())
        return [tensor.cpu() for tensor in results] if filled else None


def _unwritten(name: str, first: torch.Tensor, second: torch.Tensor) -> Finding | None:
    if first.shape != second.shape or first.numel() == 0:
        return None
    kept = _keeps(first, PATTERNS[0]) & _keeps(second, PATTERNS[1])
    count = int(kept.sum())
    if count == 0:
        return None
    positions = kept.nonzero().flatten()
    low, high = int(positions[0]), int(positions[-1])
    start, end = list(_unravel(low, first.shape)), list(_unravel(high, first.shape))
    where = f"from index {start} to {end}" if count > 1 else f"at index {start}"
    holes = f", with {high - low + 1 - count} written in between" if high - low + 1 > count else ""
    return Finding(
        "output not written",
        f"{count} of {first.numel()} elements of `{name}` {'were' if count > 1 else 'was'} never written, "
        f"{where}{holes}: what memory held before shows there",
        {"output": name, "count": count, "first": start, "last": end},
    )


def _keeps(tensor: torch.Tensor, pattern: int) -> torch.Tensor:
    """Which elements consist of the pattern's byte alone."""
    as_bytes = tensor.reshape(-1).view(torch.uint8).reshape(tensor.numel(), tensor.element_size())
    return (as_bytes == pattern).all(dim=1)


def _unravel(position: int, sizes: Sequence[int]) -> tuple[int, ...]:
    index = []
    for size in reversed(sizes):
        index.append(position % size)
        position //= size
    return tuple(reversed(index))


def _why_none(spec: OperatorSpec) -> str:
    return no_sizes(spec) if spec.schema.fresh_returns else "the operator returns no fresh tensor"


CHECK = Check(
    "coverage",
    "every element of every fresh output is written",
    cases,
    run,
    why_none=_why_none,
    shrinks=True,
    program=Program(in_memory),
)
