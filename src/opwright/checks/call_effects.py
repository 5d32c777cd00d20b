"""Call effects: calling an operator changes nothing that other code depends on, and leaves nothing open."""

from __future__ import annotations

import re
from collections.abc import Iterator

from opwright.checks.judging.outputs import run_operator
from opwright.checks.learning.graphs import GRADIENTS, run_learning
from opwright.checks.learning.places import learns
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.checks.state.process import (
    differences,
    open_files,
    process_state,
    running_threads,
    told_difference,
)
from opwright.inputs.call import make_call
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.sampling import large_size_sets, roomy_size_sets

# Large enough that an operator with threads of its own uses them.
_ELEMENTS = 1 << 16
_WARM_UP, _CALLS = 2, 6
# An operator may draw numbers. Compilers of PyTorch's set variables of their own at the first call.
_OTHERS_BUSINESS = re.compile(
    r"random state$|^environment variable (TORCH|TRITON|PYTORCH|CUDA_CACHE)"
)


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """A small and a larger call, in the first dtype; with gradients of the operator's own, a small one."""
    scalars, dtypes = scalar_choices(spec)[0], dtype_choices(spec)[0]
    sets = roomy_size_sets(spec, scalars, count=1)
    sets += large_size_sets(spec, scalars, count=1, max_elements=_ELEMENTS)
    for sizes in sets[: 1 if sets[:1] == sets[-1:] else 2]:
        yield Case("call_effects", case_name(sizes, dtypes), dtypes, sizes, scalars)
    if spec.backward == OWN and learns(spec):
        for sizes in sets[:1]:
            name = case_name(sizes, dtypes, None, (), GRADIENTS)
            yield Case("call_effects", name, dtypes, sizes, scalars, extra={"gradients": True})


def run(case: Case, subject: Subject) -> Outcome:
    """Compare the process before the first call with the one after it; count what further calls add."""
    call = make_call(subject.spec, case)
    answers = run_learning if case.extra.get("gradients") else run_operator
    before = dict(subject.after.process) or process_state()
    answers(subject, call)
    changes = [
        Finding(
            "call changes global state",
            f"a call changes {told_difference(name, old, new)}. Leave that to the program, or put it back.",
            {"what": name, "before": old[:1000], "after": new[:1000]},
        )
        for name, old, new in differences(before, process_state())
        if not _OTHERS_BUSINESS.search(name)
    ]
    findings = [*changes, *_left(case, subject)]
    return failed(*findings) if findings else passed({"compared": len(before)})


def _left(case: Case, subject: Subject) -> Iterator[Finding]:
    """Files and threads that each further call leaves; those that the first calls make may be kept."""
    answers = run_learning if case.extra.get("gradients") else run_operator
    counts = {"open files": open_files, "running threads": running_threads}
    for _ in range(_WARM_UP):
        answers(subject, make_call(subject.spec, case))
    before = {what: count() for what, count in counts.items()}
    for _ in range(_CALLS):
        answers(subject, make_call(subject.spec, case))
    for what, count in counts.items():
        more = count() - before[what]
        if more >= _CALLS:
            yield Finding(
                "call changes global state",
                f"{_CALLS} calls leave {more} {what} behind: there were {before[what]}, and now there are "
                f"{before[what] + more}. End or close in each call what it began.",
                {"what": what, "count": more, "calls": _CALLS},
            )


CHECK = Check(
    "call_effects",
    "calls change no global state of torch, Python or the process, and leave no files or threads",
    cases,
    run,
    spoils=True,
)
