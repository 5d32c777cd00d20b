"""Floating-point control: neither loading nor calling changes rounding, subnormals or traps for others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opwright.checks.judging.outputs import run_operator
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.checks.state.floating_point import control_state
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import large_size_sets, roomy_size_sets

# Large enough that an operator with threads of its own uses them.
_ELEMENTS = 1 << 18


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Loading; then a small and a large call of every dtype."""
    scalars = scalar_choices(spec)[0]
    choices = dtype_choices(spec)
    yield Case("fp_control", "load", choices[0], {}, scalars, extra={"when": "load"})
    sets = roomy_size_sets(spec, scalars, count=1)
    sets += large_size_sets(spec, scalars, count=1, max_elements=_ELEMENTS)
    for sizes in sets:
        for dtypes in choices:
            name = case_name(sizes, dtypes)
            yield Case("fp_control", name, dtypes, sizes, scalars, extra={"when": "call"})


def run(case: Case, subject: Subject) -> Outcome:
    """Compare the settings before and after."""
    if case.extra["when"] == "load":
        before, after = subject.before.floating_point, subject.after.floating_point
        if not before:
            return not_checked("nothing was noted before the operator was loaded")
        return _compared(before, after, "loading it")
    call = make_call(subject.spec, case)
    before = control_state()
    run_operator(subject, call)
    return _compared(before, control_state(), "calling it")


def _compared(before: Mapping[str, str], after: Mapping[str, str], doing: str) -> Outcome:
    changed = {
        name: (old, after.get(name, "")) for name, old in before.items() if after.get(name) != old
    }
    if not changed:
        return passed({"compared": len(before)})
    told = "; ".join(f"{name}: {old} before, {new} after" for name, (old, new) in changed.items())
    return failed(
        Finding(
            "floating-point control changed",
            f"{doing} changes how the whole thread computes: {told}. Link without -ffast-math, and put "
            "back what the operator sets for itself.",
            {"changed": sorted(changed)},
        )
    )


CHECK = Check(
    "fp_control",
    "rounding, subnormal numbers and traps are the same before and after loading and calling",
    cases,
    run,
    spoils=True,
)
