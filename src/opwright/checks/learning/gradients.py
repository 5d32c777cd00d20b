"""Gradients: against the reference's autograd, for every way in which one comes in and is asked for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from opwright.checks.judging.outputs import findings_of
from opwright.checks.learning.expected import (
    called,
    continuous,
    differentiable,
    gradient_standards,
    incoming_like,
    is_not_zero,
)
from opwright.checks.learning.incoming import DENSE, formed, forms
from opwright.checks.learning.places import rich_sizes
from opwright.checks.learning.scale import Scale, scale_of
from opwright.checks.learning.second import double_backward
from opwright.checks.learning.twice import again, gradcheck, saved_and_changed
from opwright.checks.planning.choices import absences, case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.inputs.call import Call, make_call
from opwright.judge import Standard, holds, judge
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.dtypes import DTYPES
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, size_sets
from opwright.spec.sizing import known_values, sizes_of

_SIZES = 6
_MAX_ELEMENTS = 1 << 13
_PLANTED = 1.01  # a gradient that is 1 % too large has to be found
# What is asked in other ways than by gradients that come in: a function for each.
_QUESTIONS: dict[str, Callable[[Case, Subject, Call], Outcome]] = {
    "asked for twice": again,
    "double backward": double_backward,
    "gradcheck": gradcheck,
    "arguments changed afterwards": saved_and_changed,
}


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Sizes and scalars with dense gradients; then, at one size, every form, subset and further question."""
    if spec.backward is None:
        return
    first = scalar_choices(spec)[0]
    for scalars in scalar_choices(spec):
        count = _SIZES if scalars == first else 1
        for sizes in size_sets(spec, scalars, count=count, max_elements=_MAX_ELEMENTS):
            for dtypes in dtype_choices(spec):
                yield _case(sizes, dtypes, scalars, DENSE)
    for sizes in size_sets(spec, first, count=1, empty=True):
        yield _case(sizes, dtype_choices(spec)[0], first, DENSE)
    for sizes in rich_sizes(spec, first):
        for dtypes in dtype_choices(spec):
            yield from (_case(sizes, dtypes, first, how) for how in _forms(spec, sizes, first))
        yield from _others(spec, sizes, first)


def _forms(spec: OperatorSpec, sizes: Sizes, scalars: dict[str, Any]) -> list[str]:
    """How gradients of the results can come in at these sizes."""
    known = known_values(sizes, scalars)
    found = [form for made in spec.outputs for form in forms(sizes_of(made, known))]
    return list(dict.fromkeys(found))


def _others(spec: OperatorSpec, sizes: Sizes, scalars: dict[str, Any]) -> Iterator[Case]:
    dtypes = dtype_choices(spec)
    names = [a.name for a in spec.schema.tensors]
    for count in range(1, min(len(names), 3) + 1):
        for asked in itertools.combinations(names, count):
            yield _case(sizes, dtypes[0], scalars, DENSE, asked=asked)
    for left_out in list(absences(spec))[1:]:
        yield _case(sizes, dtypes[0], scalars, DENSE, absent=left_out)
    learned = _with_gradient(spec, dtypes[0])
    for name in learned if len(learned) > 1 else ():
        yield _case(sizes, dtypes[0], scalars, "undefined", undefined=name)
    yield _case(sizes, dtypes[0], scalars, DENSE, leaves=False)
    for question in _QUESTIONS:
        for chosen in dtypes if question == "double backward" else dtypes[:1]:
            yield _case(
                sizes,
                _as_wide(spec, chosen) if question == "gradcheck" else chosen,
                scalars,
                question,
            )


def _as_wide(spec: OperatorSpec, dtypes: dict[str, str]) -> dict[str, str]:
    """float64 where there is such a kernel."""
    wide = [choice for choice in dtype_choices(spec) if "float64" in choice.values()]
    return wide[0] if wide else dtypes


def _case(
    sizes: Sizes,
    dtypes: dict[str, str],
    scalars: dict[str, Any],
    how: str,
    *,
    absent: tuple[str, ...] = (),
    **more: Any,
) -> Case:
    words = [how, *(f"{name} {_text(value)}" for name, value in more.items())]
    name = case_name(sizes, dtypes, scalars, absent, *words)
    return Case(
        "gradients", name, dtypes, sizes, scalars, absent=absent, extra={"how": how, **more}
    )


def _text(value: Any) -> str:
    return ",".join(value) if isinstance(value, (tuple, list)) else str(value)


def run(case: Case, subject: Subject) -> Outcome:
    """Judge the gradients of one call; a planted error of 1 % that passes makes it no evidence."""
    if subject.lacks_backward:
        return not_checked(subject.lacks_backward)
    call = make_call(subject.spec, case)
    wanted = differentiable(subject.spec, call)
    if "asked" in case.extra:
        wanted = [name for name in wanted if name in case.extra["asked"]]
    if not wanted:
        return not_checked("none of the arguments asked about can have a gradient")
    if question := _QUESTIONS.get(case.extra["how"]):
        return question(case, subject, call)
    return _judged(case, subject, call, wanted)


def _judged(case: Case, subject: Subject, call: Call, wanted: Sequence[str]) -> Outcome:
    leaves = {name: call.arguments[name].clone().requires_grad_() for name in wanted}
    arguments = {**call.arguments, **leaves}
    if not case.extra.get("leaves", True):  # what comes from a layer before
        arguments |= {name: leaf.view_as(leaf) for name, leaf in leaves.items()}
    operator_runs()
    with torch.enable_grad():
        results = continuous(called(subject.spec, subject.call, arguments))
    lost = [i for i, result in enumerate(results) if not result.requires_grad]
    incoming = _incoming(case, subject.spec, results)
    standards = gradient_standards(call, case, wanted, incoming)
    if lost and any(is_not_zero(standard) for standard in standards):
        return failed(_lost(subject.spec, wanted))
    given = [(r, g) for r, g in zip(results, incoming, strict=True) if g is not None]
    found: Sequence[torch.Tensor | None] = torch.autograd.grad(
        [result for result, _ in given],
        list(leaves.values()),
        [grad for _, grad in given],
        allow_unused=True,
    )
    missing = [
        n for n, g, s in zip(wanted, found, standards, strict=True) if g is None and is_not_zero(s)
    ]
    if missing:
        return failed(_lost(subject.spec, missing))
    gradients = [
        torch.zeros_like(call.arguments[n]) if g is None else g
        for n, g in zip(wanted, found, strict=True)
    ]
    names = [f"gradient of {name}" for name in wanted]
    comparison = judge(gradients, standards, names=names, inputs=call.tensors)
    if not comparison.passed:
        return failed(*findings_of(comparison), figures=comparison.to_json()["figures"])
    scales = {n: scale_of(g, s) for n, g, s in zip(names, gradients, standards, strict=True)}
    if wrong := [_scaled(n, scale) for n, scale in scales.items() if scale and scale.is_wrong]:
        return failed(*wrong)
    unseen = [n for n, s in zip(names, standards, strict=True) if not _is_seen(s, scales[n])]
    if unseen:
        return not_checked(f"not evidence: a planted error of 1 % in the {unseen[0]} passes")
    return passed(comparison.to_json()["figures"], comparison.notes)


def _incoming(
    case: Case, spec: OperatorSpec, results: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """The gradient that comes in for each result, None for the one that is undefined."""
    drawn: list[torch.Tensor | None] = [
        formed(grad, case.extra["how"]) for grad in incoming_like(results, case.seed)
    ]
    if "undefined" in case.extra:
        place = _with_gradient(spec, case.dtypes).index(case.extra["undefined"])
        if place < len(drawn):
            drawn[place] = None
    return drawn


def _with_gradient(spec: OperatorSpec, dtypes: Mapping[str, str]) -> list[str]:
    """Names of the returns that can have a gradient at these dtypes, in order."""
    pairs = zip(spec.schema.fresh_returns, spec.outputs, strict=True)
    named = ((item.name, spec.dtype_of(made)) for item, made in pairs)
    return [
        name
        for name, dtype in named
        if DTYPES[dtypes.get(dtype, dtype)].family in ("float", "complex")
    ]


def _is_seen(standard: Standard, scale: Scale | None) -> bool:
    """Whether the planted error fails; where the gradient is zero there is none to plant."""
    if not is_not_zero(standard) or (scale is not None and scale.telling < _PLANTED - 1):
        return True
    wrong = (standard.oracle * _PLANTED).to(standard.reference.dtype)
    return not holds([wrong.reshape(standard.reference.shape)], [standard])


def _scaled(name: str, scale: Scale) -> Finding:
    return Finding(
        "gradient scaled",
        f"the {name} is {scale.found:.4g} times the right one as a whole: a factor is missing or doubled",
        {"scale": scale.found, "telling": scale.telling},
    )


def _lost(spec: OperatorSpec, names: Sequence[str]) -> Finding:
    listed = " and ".join(f"`{name}`" for name in names)
    return Finding(
        "gradient lost",
        f"the gradient of {listed} is lost silently: the reference has one that is not zero, and what "
        f"{spec.name} returns does not lead back to it",
        {"arguments": list(names)},
    )


def _why_none(spec: OperatorSpec) -> str:
    if spec.backward is None:
        return f"{spec.name} has no backward: calls that need gradients are refused"
    return no_sizes(spec)


CHECK = Check(
    "gradients",
    "every gradient that is asked for is the reference's, however gradients come in, and none is lost",
    cases,
    run,
    why_none=_why_none,
    takes_gradients=True,
)
