"""Layouts: an argument that is not dense gives the right values, or a clear refusal, never wrong ones."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.judging import expect, findings_of, judge_call, run_operator
from opwright.checks.plan import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.inputs.layouts import LAYOUTS, OVERLAPPING, can_lay_out
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, roomy_size_sets
from opwright.spec.sizing import sizes_of


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each argument in each layout, alone; then all of them together. Every dtype."""
    scalars = scalar_choices(spec)[0]
    tensors = [argument.name for argument in spec.schema.tensors]
    groups = [(name,) for name in tensors] + ([tuple(tensors)] if len(tensors) > 1 else [])
    roomy = roomy_size_sets(spec, scalars, count=40)
    for dtypes in dtype_choices(spec):
        for group in groups:
            for layout in LAYOUTS:
                sizes = next((s for s in roomy if _fits(spec, s, group, layout)), None)
                if sizes is not None:
                    names = group if len(group) == 1 else ("all",)
                    name = case_name(sizes, dtypes, None, (), f"{'+'.join(names)} {layout}")
                    laid_out = dict.fromkeys(group, layout)
                    yield Case("layouts", name, dtypes, sizes, scalars, laid_out)


def _fits(spec: OperatorSpec, sizes: Sizes, group: tuple[str, ...], layout: str) -> bool:
    """Whether any of the arguments has a shape that this layout can be given to."""
    return any(can_lay_out(sizes_of(spec.inputs[name], sizes), layout) for name in group)


def run(case: Case, subject: Subject) -> Outcome:
    """Run on the laid-out arguments; compare with reference and oracle on the same values."""
    call = make_call(subject.spec, case)
    dense = call.cloned()
    expected = expect(subject.spec, case, call)
    try:
        results = run_operator(subject, call)
    except Exception as error:
        return _refusal(case, error)
    written = [n for n in case.layouts if n in call.written and case.layouts[n] in OVERLAPPING]
    if written:
        return failed(
            Finding(
                "overlapping output accepted",
                f"argument `{written[0]}` is written to, its elements share memory, and the call was accepted",
                {"argument": written[0]},
            )
        )
    comparison = judge_call(expected, results, dense)
    if comparison.passed:
        return passed()
    layouts = ", ".join(f"`{name}` {layout}" for name, layout in case.layouts.items())
    return failed(
        *(
            Finding("wrong on a layout", f"{layouts}: {finding.message}", finding.details)
            for finding in findings_of(comparison)
        )
    )


def _refusal(case: Case, error: Exception) -> Outcome:
    """A refusal is right when it says which argument it refuses."""
    message = str(error).splitlines()[0] if str(error) else type(error).__name__
    if any(name in message for name in case.layouts):
        return passed(notes=(f"refused: {message}",))
    return passed(notes=(f"refused, without naming the argument: {message}",))


CHECK = Check(
    "layouts",
    "views of every layout give the right values or a refusal, never wrong values",
    cases,
    run,
)
