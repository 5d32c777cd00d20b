"""Device sanitizers: calls that NVIDIA's compute-sanitizer watches; session reads what it prints."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.device.placed import device_of, placed, run_kernel
from opwright.checks.judging.refusals import refused
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.records.verdict import Outcome, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import size_sets

_SIZES = 6


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Sizes of several kinds in every dtype, and every scalar value once."""
    for choice, scalars in enumerate(scalar_choices(spec)):
        for sizes in size_sets(spec, scalars, count=1 if choice else _SIZES):
            for dtypes in dtype_choices(spec)[: 1 if choice else None]:
                name = case_name(sizes, dtypes, scalars)
                yield Case("device_sanitizers", name, dtypes, sizes, scalars)


def run(case: Case, subject: Subject) -> Outcome:
    """Call once; right or wrong is for other checks to say."""
    device = device_of(subject)
    try:
        run_kernel(subject, placed(make_call(subject.spec, case), device))
    except Exception as error:
        return passed(notes=(f"refused: {refused(error)}",))
    finally:
        device.synchronize()
    return passed()


CHECK = Check(
    "device_sanitizers",
    "compute-sanitizer's memcheck, racecheck, initcheck and synccheck have nothing to report",
    cases,
    run,
    devices_only=True,
    build="device sanitized",
    kinds=("cuda",),
)
