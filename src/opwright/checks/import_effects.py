"""Import effects: loading an operator changes nothing that other code depends on."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.planning.choices import dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.checks.state.process import differences, told_difference
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """One: the loading has taken place before the first case of any check."""
    yield Case("import_effects", "load", dtype_choices(spec)[0], {}, scalar_choices(spec)[0])


def run(case: Case, subject: Subject) -> Outcome:
    """Compare the process before the description was read with the one after the library was loaded."""
    before, after = subject.before.process, subject.after.process
    if not before:
        return not_checked("nothing was noted before the operator was loaded")
    findings = [
        Finding(
            "import changes global state",
            f"loading it changes {told_difference(name, old, new)}. Leave that to the program, or set it inside "
            "the operator and put it back.",
            {"what": name, "before": old[:1000], "after": new[:1000]},
        )
        for name, old, new in differences(before, after)
    ]
    return failed(*findings) if findings else passed({"compared": len(before)})


CHECK = Check(
    "import_effects",
    "loading the operator changes no global state of torch, Python or the process",
    cases,
    run,
)
