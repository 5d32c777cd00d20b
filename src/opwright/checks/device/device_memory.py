"""Device memory: nothing beside the tensors is written, and nothing that is read there counts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch

from opwright.checks.device.placed import device_of, placed, run_kernel
from opwright.checks.judging.outputs import output_names, same_bits
from opwright.checks.judging.programs import Program, in_memory
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.devices.red_zones import Damage
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import size_sets
from opwright.watch.poison import PATTERNS

_SIZES = 8


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """A few sizes, odd ones among them, for every dtype."""
    scalars = scalar_choices(spec)[0]
    for dtypes in dtype_choices(spec):
        for sizes in size_sets(spec, scalars, count=_SIZES):
            yield Case("device_memory", case_name(sizes, dtypes), dtypes, sizes, scalars)


def run(case: Case, subject: Subject) -> Outcome:
    """Call twice, in memory filled with two patterns: the pattern has to stay, and must not matter."""
    answers = []
    for pattern in PATTERNS:
        seen = _in_filled_memory(case, subject, pattern)
        if seen is None:
            return not_checked("a tensor is larger than the memory that is watched")
        if seen.damage:
            return failed(*map(_written, seen.damage))
        answers.append(seen.answer)
    if not all(same_bits(one, two) for one, two in zip(*answers, strict=True)):
        return failed(_READ) if _is_stable(case, subject) else not_checked(_UNSTABLE)
    return passed()


@dataclass(frozen=True)
class _Seen:
    answer: list[torch.Tensor]
    damage: list[Damage]


def _in_filled_memory(case: Case, subject: Subject, pattern: int) -> _Seen | None:
    """What a call gives and leaves there; None where its tensors are not in that memory."""
    device = device_of(subject)
    with device.red_zones(pattern) as zones:
        call = placed(make_call(subject.spec, case), device)
        results = run_kernel(subject, call)
        device.synchronize()
        names = output_names(subject.spec, call)
        named = {**call.tensors, **dict(zip(names, results, strict=False))}
        if not all(zones.holds(tensor) for tensor in named.values() if tensor.numel()):
            return None
        return _Seen([tensor.cpu() for tensor in results], zones.damage(named))


def _is_stable(case: Case, subject: Subject) -> bool:
    """Whether two calls in the same memory give the same bits."""
    call = placed(make_call(subject.spec, case), device_of(subject)).cloned()
    one, two = ([tensor.cpu() for tensor in run_kernel(subject, call.cloned())] for _ in range(2))
    return all(same_bits(a, b) for a, b in zip(one, two, strict=True))


def _written(damage: Damage) -> Finding:
    where = (
        f"{damage.offset_bytes} bytes after the end of `{damage.beside}`"
        if damage.beside
        else ("memory in front of every tensor")
    )
    return Finding(
        "out of bounds write",
        f"writes {damage.count} bytes to {where}",
        {"of": damage.beside, "offset_bytes": damage.offset_bytes, "count": damage.count},
    )


_READ = Finding(
    "reads what nobody wrote",
    "the answer depends on what memory held before, beside the tensors or in an output",
)
_UNSTABLE = "the answer differs from call to call anyway: the check of determinism judges that"

CHECK = Check(
    "device_memory",
    "nothing beside the tensors on the device is written, and nothing that is read there counts",
    cases,
    run,
    shrinks=True,
    program=Program(in_memory),
    spoils=True,
    devices_only=True,
)
