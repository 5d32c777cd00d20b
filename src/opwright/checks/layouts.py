"""Layouts: an argument that is not dense gives the right values, or a clear refusal, never wrong ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opwright.checks.judging.outputs import Expected, expect, findings_of, judge_call, run_operator
from opwright.checks.judging.programs import Program
from opwright.checks.judging.refusals import first_line, refused, unclear
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call
from opwright.inputs.layouts import LAYOUTS, OFFSETS, OVERLAPPING, can_lay_out, is_covered
from opwright.records.verdict import Finding, Outcome, failed, passed
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, roomy_size_sets
from opwright.spec.sizing import known_values, sizes_of

_CANDIDATES = 400
_LONG_ROW = 64  # elements; the widest vectors hold 64 of one byte


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each argument in each layout, alone; then all of them together. Every dtype.

    Rows are short once, and long once: long enough that vector code runs, which short ones never enter.
    """
    scalars = scalar_choices(spec)[0]
    known = known_values({}, scalars)
    tensors = [argument.name for argument in spec.schema.tensors]
    groups = [(name,) for name in tensors] + ([tuple(tensors)] if len(tensors) > 1 else [])
    roomy = [{**known, **sizes} for sizes in roomy_size_sets(spec, scalars, count=_CANDIDATES)]
    for dtypes in dtype_choices(spec):
        for group in groups:
            for layout in LAYOUTS:
                for sizes in _short_and_long(spec, roomy, group, layout):
                    shown = {name: sizes[name] for name in spec.dims}
                    names = group if len(group) == 1 else ("all",)
                    name = case_name(shown, dtypes, None, (), f"{'+'.join(names)} {layout}")
                    yield Case(
                        "layouts", name, dtypes, shown, scalars, dict.fromkeys(group, layout)
                    )


def _short_and_long(
    spec: OperatorSpec, roomy: list[Sizes], group: tuple[str, ...], layout: str
) -> list[Sizes]:
    """The sizes to try, of those that leave room for the layout in any of the arguments."""

    def shapes(sizes: Sizes) -> list[list[int]]:
        return [sizes_of(spec.inputs[name], sizes) for name in group]

    fitting = [
        sizes for sizes in roomy if any(can_lay_out(shape, layout) for shape in shapes(sizes))
    ]
    if not fitting:
        return []

    def row(sizes: Sizes) -> int:
        return min((shape[-1] for shape in shapes(sizes) if shape), default=1)

    long = next((sizes for sizes in fitting if row(sizes) >= _LONG_ROW), max(fitting, key=row))
    # An offset matters to vector code alone: seven more cases at short rows would show nothing.
    return [long] if layout in OFFSETS or long is fitting[0] else [fitting[0], long]


def run(case: Case, subject: Subject) -> Outcome:
    """Run on the laid-out arguments; compare with reference and oracle on the same values."""
    call = make_call(subject.spec, case)
    dense = call.cloned()
    expected = expect(subject.spec, case, call)
    overlapping = [
        n for n in case.layouts if n in call.written and _overlaps(call, n, case.layouts[n])
    ]
    try:
        results = run_operator(subject, call)
    except Exception as error:
        return _refused(case, call, error, overlapping)
    if overlapping:
        return failed(
            Finding(
                "overlapping output accepted",
                f"{_shown(call, overlapping)} is written to, its elements share memory, and the call was "
                f"accepted. Refuse it with a message that names `{overlapping[0]}`.",
                {"arguments": overlapping, "layouts": case.layouts},
            )
        )
    comparison = judge_call(
        expected, results, dense, strides=_promised(case, call) == [*case.layouts]
    )
    findings = findings_of(comparison)
    if not findings:
        return passed()
    shown = _shown(call, list(case.layouts))
    if {finding.kind for finding in findings} <= _wrong_dense(subject, expected, dense):
        said = f"{shown}: the same values laid out densely give a wrong result too: "
        return failed(*(replace(finding, message=said + finding.message) for finding in findings))
    only_strides = all(finding.kind == "wrong strides" for finding in findings)
    made = _not_dense if only_strides else _wrong
    return failed(*(made(case, shown, finding) for finding in findings))


def _not_dense(case: Case, shown: str, finding: Finding) -> Finding:
    """Right values, in another order of memory than compilers are told."""
    return Finding("output is not dense", f"{shown}: {finding.message}", _details(case, finding))


def _wrong(case: Case, shown: str, finding: Finding) -> Finding:
    return Finding("wrong on a layout", f"{shown}: {finding.message}", _details(case, finding))


def _wrong_dense(subject: Subject, expected: Expected, dense: Call) -> set[str]:
    """Kinds of findings that the layout is not to blame for. A dense call that is refused gives none."""
    try:
        results = run_operator(subject, dense.cloned())
    except Exception:
        return set()
    return {f.kind for f in findings_of(judge_call(expected, results, dense, strides=True))}


def _details(case: Case, finding: Finding) -> dict[str, object]:
    return {**finding.details, "kind": finding.kind, "layouts": case.layouts}


def _overlaps(call: Call, name: str, layout: str) -> bool:
    tensor = call.arguments[name]
    return layout in OVERLAPPING and any(
        stride == 0 and size > 1 for size, stride in zip(tensor.shape, tensor.stride(), strict=True)
    )


def _refused(case: Case, call: Call, error: Exception, overlapping: list[str]) -> Outcome:
    """A refusal is right where the description does not promise the layout, and has to be clear there."""
    shown = _shown(call, list(case.layouts))
    promised = _promised(case, call)
    if not overlapping and promised == list(case.layouts):
        declared = call.spec.inputs[promised[0]].layout
        return failed(
            Finding(
                "refuses an allowed layout",
                f"{shown} was refused, and layout {declared!r} promises it: {refused(error)}",
                {"layouts": case.layouts, "exception": type(error).__name__},
            )
        )
    finding = unclear(error, shown, argument=next(iter(case.layouts)))
    if finding is not None:
        return failed(finding)
    named = any(name in first_line(error) for name in case.layouts)
    return passed({"names_argument": named}, (f"refused: {refused(error)}",))


def _promised(case: Case, call: Call) -> list[str]:
    """The arguments whose layout the description takes."""
    return [n for n in case.layouts if is_covered(call.spec.inputs[n], call.arguments[n])]


def _shown(call: Call, names: list[str]) -> str:
    """``argument `input` with shape [3, 5], strides [1, 3], storage offset 0``, for one or several."""
    parts = []
    for name in names:
        tensor = call.arguments[name]
        parts.append(
            f"`{name}` with shape {list(tensor.shape)}, strides {list(tensor.stride())}, "
            f"storage offset {tensor.storage_offset()}"
        )
    return ("argument " if len(parts) == 1 else "arguments ") + "; ".join(parts)


def _why_none(spec: OperatorSpec) -> str:
    if not spec.schema.tensors:
        return "the operator takes no tensors"
    return "no declared sizes leave room for another layout than the dense one"


CHECK = Check(
    "layouts",
    "views of every layout give the right values or a refusal, never wrong values",
    cases,
    run,
    why_none=_why_none,
    shrinks=True,
    program=Program(),
)
