"""Sanitizers: calls of an instrumented build, which reports what it sees to stderr; session reads that."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.judging.outputs import run_operator
from opwright.checks.judging.programs import Program
from opwright.checks.judging.refusals import refused
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.records.verdict import Outcome, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets, size_sets

_SIZES, _EMPTY_SIZES = 8, 3
_LAYOUTS = ("transposed", "step 2", "padded rows", "offset 1")


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Sizes of all kinds, empty ones too, some layouts, every dtype and every scalar value."""
    names = [argument.name for argument in spec.schema.tensors]
    for choice, scalars in enumerate(scalar_choices(spec)):
        sets = size_sets(spec, scalars, count=1 if choice else _SIZES)
        if not choice:
            sets += size_sets(spec, scalars, count=_EMPTY_SIZES, empty=True)
        for dtypes in dtype_choices(spec):
            for sizes in sets:
                yield Case("sanitizers", case_name(sizes, dtypes, scalars), dtypes, sizes, scalars)
            for sizes in [] if choice else roomy_size_sets(spec, scalars, count=1):
                for layout in _LAYOUTS:
                    name = case_name(sizes, dtypes, scalars, (), layout)
                    laid_out = dict.fromkeys(names, layout)
                    yield Case("sanitizers", name, dtypes, sizes, scalars, laid_out)


def run(case: Case, subject: Subject) -> Outcome:
    """Call once; right or wrong is for other checks to say."""
    try:
        run_operator(subject, make_call(subject.spec, case))
    except Exception as error:
        return passed(notes=(f"refused: {refused(error)}",))
    return passed()


CHECK = Check(
    "sanitizers",
    "AddressSanitizer and UBSan have nothing to report on any of the calls",
    cases,
    run,
    program=Program(),
    build="sanitized",
    kinds=("cpu", "emulated", "simulated"),
)
