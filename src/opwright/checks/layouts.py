"""Layouts: an argument that is not dense gives the right values, or a clear refusal, never wrong ones."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.checks.judging import expect, findings_of, judge_call, run_operator
from opwright.checks.plan import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import make_call
from opwright.inputs.layouts import LAYOUTS, OVERLAPPING
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import size_sets

_MAX_ELEMENTS = 1 << 16


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each argument in each layout, alone; then all of them together. Every dtype, two sets of sizes."""
    scalars = scalar_choices(spec)[0]
    tensors = [argument.name for argument in spec.schema.tensors]
    groups = [(name,) for name in tensors] + ([tuple(tensors)] if len(tensors) > 1 else [])
    sets = _ranked(spec, scalars)
    for dtypes in dtype_choices(spec):
        for group in groups:
            for layout in LAYOUTS:
                for sizes in sets.get(layout, sets["any"]):
                    names = group if len(group) == 1 else ("all",)
                    name = case_name(sizes, dtypes, None, (), f"{'+'.join(names)} {layout}")
                    laid_out = dict.fromkeys(group, layout)
                    yield Case("layouts", name, dtypes, sizes, scalars, laid_out)


def _ranked(spec: OperatorSpec, scalars: dict[str, object]) -> dict[str, list[dict[str, object]]]:
    """Sizes for layouts: small ones with at least two rows and columns where the description has them."""
    sets = size_sets(spec, scalars, count=200, max_elements=_MAX_ELEMENTS)
    good = [sizes for sizes in sets if all(_roomy(value) for value in sizes.values())] or sets
    four = [sizes for sizes in good if any(isinstance(v, tuple) and len(v) == 4 for v in sizes.values())]
    good.sort(key=lambda sizes: sum(_volume(value) for value in sizes.values()))
    return {"any": good[:1], "channels last": four[:1]}


def _roomy(value: object) -> bool:
    return len(value) >= 2 and min(value) > 1 if isinstance(value, tuple) else isinstance(value, int) and value > 2


def _volume(value: object) -> int:
    if isinstance(value, tuple):
        product = 1
        for size in value:
            product *= size
        return product
    return value if isinstance(value, int) else 0


def run(case: Case, subject: Subject) -> Outcome:
    """Run on the laid-out arguments; compare with reference and oracle on the same values."""
    call = make_call(subject.spec, case)
    if call is None:
        return not_checked("these shapes cannot be laid out so")
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
