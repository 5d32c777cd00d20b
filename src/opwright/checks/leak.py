"""Leak: a call, or a refused call, leaves nothing behind: no bytes, no Python objects."""

from __future__ import annotations

import ctypes
import gc
import itertools
import math
import statistics
import sys
import time
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch

from opwright.checks.judging.outputs import run_operator
from opwright.checks.learning.expected import called, continuous, differentiable
from opwright.checks.learning.held import holders_of_tensors, tensor_ids
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call
from opwright.inputs.violations import Violation, broken_call, violations
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets

_WARM_UP, _ROUNDS, _CALLS = 30, 8, 25
# A slope is believed when it is this many standard errors above 0.
_CERTAIN = 4.0
_LEAST_BYTES, _LEAST_OBJECTS = 4.0, 0.3  # a call
_MORE_LOOKS = 2  # at objects: a leak goes on, what settles does not
# How long the device's memory has to stay as it is without calls, and how often it is looked at.
_QUIET_S, _QUIET_LOOKS = 1.0, 20
_DISTURBED = (
    "the device's memory grows with calls and changes without them: other processes use the device; "
    "check again when it is free"
)
_STEP = {"step": True}
_REFUSED_KINDS = ("dtype", "rank", "size", "value")


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Good calls of every dtype; refused ones, one of each kind that can be made."""
    scalars = scalar_choices(spec)[0]
    for sizes in roomy_size_sets(spec, scalars, count=1):
        for dtypes in dtype_choices(spec):
            yield Case("leak", case_name(sizes, dtypes), dtypes, sizes, scalars)
        if spec.backward is not None:
            dtypes = dtype_choices(spec)[0]
            name = case_name(sizes, dtypes, None, (), "forward and backward")
            yield Case("leak", name, dtypes, sizes, scalars, extra=_STEP)
        dtypes = dtype_choices(spec)[0]
        seen = set()
        for violation in violations(spec, dtypes):
            if violation.kind in _REFUSED_KINDS and violation.kind not in seen:
                name = case_name(sizes, dtypes, None, (), f"refused: {violation}")
                case = Case("leak", name, dtypes, sizes, scalars, extra=dict(vars(violation)))
                if broken_call(make_call(spec, case), violation) is not None:
                    seen.add(violation.kind)
                    yield case


@dataclass(frozen=True)
class Slope:
    """What one call adds, with its standard error."""

    per_call: float
    error: float

    @property
    def surely(self) -> float:
        """What it adds at least."""
        return self.per_call - _CERTAIN * self.error


def run(case: Case, subject: Subject) -> Outcome:
    """Call many times and fit a line through what is held after each round."""
    call = make_call(subject.spec, case)
    if case.extra == _STEP:
        return _step(subject, call)
    if case.extra:
        broken = broken_call(call, Violation(**case.extra))
        assert broken is not None, "the plan leaves out what these sizes have no room for"
        call = broken
    one = _caller(subject, call)
    for _ in range(_WARM_UP):
        refused = one()
    if case.extra and not refused:
        return not_checked("the call is not refused; the check of the contract judges that")
    what = "a refused call" if case.extra else "a call"
    return _judged(subject, one, what)


def _step(subject: Subject, call: Call) -> Outcome:
    """The same for a forward call with its backward, and who holds what is left."""
    if subject.device is not None:
        return not_checked("steps are counted on the host alone")
    if subject.lacks_backward:
        return not_checked(subject.lacks_backward)
    one = _stepper(subject, call)
    for _ in range(_WARM_UP):
        led_back = one()
    if not led_back:
        return not_checked(
            "no result leads back to an argument; the check of gradients judges that"
        )
    known = tensor_ids()
    outcome = _judged(subject, one, "a forward and backward step")
    if outcome.verdict == "pass" or not (holder := holders_of_tensors(known)):
        return outcome
    told = tuple(
        replace(f, message=f"{f.message}; tensors are held by {holder}") for f in outcome.findings
    )
    return replace(outcome, findings=told)


def _stepper(subject: Subject, call: Call) -> Callable[[], bool]:
    """A function that calls, differentiates the sum of the results, and lets go of everything.

    It says whether any result leads back to an argument.
    """
    names = differentiable(call)

    def one() -> bool:
        leaves = {name: call.arguments[name].detach().requires_grad_() for name in names}
        with torch.enable_grad():
            results = called(call.spec, subject.call, {**call.arguments, **leaves})
            sums = [result.sum() for result in continuous(results) if result.requires_grad]
            torch.autograd.backward(sums, [torch.ones_like(total) for total in sums])
        return bool(sums)

    operator_runs()
    return one


def _judged(subject: Subject, one: Callable[[], bool], what: str) -> Outcome:
    device_bytes = subject.device.held_bytes if subject.device else lambda: 0
    held = _held_after_each_round(one, device_bytes)
    size, objects, device_size = (slope([row[i] for row in held], _CALLS) for i in range(3))
    figures = {"bytes_a_call": size.per_call, "objects_a_call": objects.per_call}
    if subject.device:
        figures["device_bytes_a_call"] = device_size.per_call
    findings = []
    if size.surely > _LEAST_BYTES:
        findings.append(_finding("memory leaked", what, "bytes", size))
    if _objects_grow(held) and all(
        _objects_grow(_held_after_each_round(one, device_bytes)) for _ in range(_MORE_LOOKS)
    ):
        findings.append(_finding("Python objects leaked", what, "Python objects", objects))
    grows = device_size.surely > _LEAST_BYTES
    disturbed = grows and _changes_without_calls(device_bytes)
    if grows and not disturbed and _grows_again(one, device_bytes, device_size):
        findings.append(_finding("device memory leaked", what, "bytes of the device", device_size))
    if findings:
        return failed(*findings, figures=figures)
    return replace(not_checked(_DISTURBED), figures=figures) if disturbed else passed(figures)


def _objects_grow(held: list[tuple[int, int, int]]) -> bool:
    """Whether objects are left, and after most rounds: what Python and torch keep comes in bursts, and ends."""
    objects = [row[1] for row in held]
    grown = [after - before for before, after in itertools.pairwise(objects)]
    is_steady = statistics.median(grown) > _LEAST_OBJECTS * _CALLS
    return is_steady and slope(objects, _CALLS).surely > _LEAST_OBJECTS


def _changes_without_calls(device_bytes: Callable[[], int]) -> bool:
    """Whether others take or give back the device's memory: what grows then cannot be laid to the calls."""
    before = device_bytes()
    for _ in range(_QUIET_LOOKS):
        time.sleep(_QUIET_S / _QUIET_LOOKS)
        if device_bytes() != before:
            return True
    return False


def _grows_again(one: Callable[[], bool], device_bytes: Callable[[], int], first: Slope) -> bool:
    """Whether the device's memory shrinks as before, and not for something that is set up once."""
    held = _held_after_each_round(one, device_bytes)
    again = slope([row[2] for row in held], _CALLS)
    return again.surely > _LEAST_BYTES and 0.5 < again.per_call / first.per_call < 2.0


def _held_after_each_round(
    one: Callable[[], bool], device_bytes: Callable[[], int]
) -> list[tuple[int, int, int]]:
    """Bytes, Python objects and bytes of the device; cycles that the collector finds are no leak."""
    gc.freeze()  # so that it looks at what the calls make, and at nothing older
    size, objects, device_size = (
        array("q", [0] * (_ROUNDS + 1)) for _ in range(3)
    )  # filled without allocating
    try:
        for place in range(-1, _ROUNDS + 1):  # the first round is for what is set up once
            gc.collect()
            size[place] = _heap_bytes()
            objects[place] = sys.getallocatedblocks()
            device_size[place] = device_bytes()
            for _ in range(_CALLS):
                one()
    finally:
        gc.unfreeze()
    return list(zip(size, objects, device_size, strict=True))


def slope(held: list[int], calls: int) -> Slope:
    """The line of least squares through what is held after each round of ``calls``."""
    count = len(held)
    middle, mean = (count - 1) / 2, sum(held) / count
    spread = sum((x - middle) ** 2 for x in range(count))
    rise = sum((x - middle) * (y - mean) for x, y in enumerate(held)) / spread
    left = sum((y - mean - rise * (x - middle)) ** 2 for x, y in enumerate(held))
    return Slope(rise / calls, math.sqrt(left / (count - 2) / spread) / calls)


def _caller(subject: Subject, call: Call) -> Callable[[], bool]:
    """A function that calls once, lets go of the results, and says whether it was refused."""

    def one() -> bool:
        try:
            run_operator(subject, call)
        except Exception:
            return True
        return False

    return one


def _finding(kind: str, what: str, unit: str, grows: Slope) -> Finding:
    calls = _ROUNDS * _CALLS
    return Finding(
        kind,
        f"{what} leaves {grows.per_call:.3g} {unit} behind (±{grows.error:.2g}, over {calls} calls)",
        {"per_call": grows.per_call, "standard_error": grows.error, "calls": calls},
    )


class _Mallinfo2(ctypes.Structure):
    """``struct mallinfo2`` of glibc: bytes in use are in ``uordblks``, of mapped blocks in ``hblkhd``."""

    _fields_ = tuple(
        (name, ctypes.c_size_t)
        for name in (
            *("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks"),
            *("uordblks", "fordblks", "keepcost"),
        )
    )


_mallinfo2 = getattr(ctypes.CDLL(None), "mallinfo2", None)
if _mallinfo2 is not None:
    _mallinfo2.restype = _Mallinfo2


def _heap_bytes() -> int:
    """Bytes that the C library has given away and not got back; pages held, where it cannot say."""
    if _mallinfo2 is None:  # before glibc 2.33
        return _resident_bytes()
    info = _mallinfo2()
    return int(info.uordblks + info.hblkhd)


def _resident_bytes() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


CHECK = Check(
    "leak",
    "calls and refused calls leave no memory and no Python objects behind",
    cases,
    run,
    spoils=True,
    takes_gradients=True,
)
