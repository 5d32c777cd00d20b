"""Gradients: against the reference's autograd, for every way in which one comes in and is asked for."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from opwright.checks.learning.expected import differentiable
from opwright.checks.learning.gradient_case import gradient_case
from opwright.checks.learning.incoming import DENSE, forms, with_gradient
from opwright.checks.learning.judged import judged
from opwright.checks.learning.kept import beside_another, one_tensor_twice, results_changed
from opwright.checks.learning.own_cases import (
    BESIDE_ANOTHER,
    ONE_TWICE,
    RESULTS_CHANGED,
    own_cases,
)
from opwright.checks.learning.places import rich_sizes
from opwright.checks.learning.second import double_backward
from opwright.checks.learning.twice import again, gradcheck, saved_and_changed
from opwright.checks.planning.choices import absences, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Outcome, not_checked
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, size_sets
from opwright.spec.sizing import known_values, sizes_of

_SIZES = 6
_MAX_ELEMENTS = 1 << 13
# What is asked of every backward in other ways than by gradients that come in.
_ASKED_OF_ALL = ("asked for twice", "double backward", "gradcheck", "arguments changed afterwards")
# A function for each such question.
_QUESTIONS: dict[str, Callable[[Case, Subject, Call], Outcome]] = {
    "asked for twice": again,
    "double backward": double_backward,
    "gradcheck": gradcheck,
    "arguments changed afterwards": saved_and_changed,
    BESIDE_ANOTHER: beside_another,
    RESULTS_CHANGED: results_changed,
    ONE_TWICE: one_tensor_twice,
}


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Sizes and scalars with dense gradients; then, at one size, every form, subset and further question.

    Of gradients that a description states more: kernels of a backward whose reference is autograd's are asked
    the same as operators.
    """
    if spec.backward is None:
        return
    planned = list(_of_all(spec))
    if spec.states_gradients:
        several = with_gradient(spec, dtype_choices(spec)[0])
        planned += own_cases(spec, several if len(several) > 1 else [])
    yield from {case.name: case for case in planned}.values()


def _of_all(spec: OperatorSpec) -> Iterator[Case]:
    first = scalar_choices(spec)[0]
    for scalars in scalar_choices(spec):
        count = _SIZES if scalars == first else 1
        for sizes in size_sets(spec, scalars, count=count, max_elements=_MAX_ELEMENTS):
            for dtypes in dtype_choices(spec):
                yield gradient_case(sizes, dtypes, scalars, DENSE)
    for sizes in size_sets(spec, first, count=1, empty=True):
        yield gradient_case(sizes, dtype_choices(spec)[0], first, DENSE)
    for sizes in rich_sizes(spec, first):
        for dtypes in dtype_choices(spec):
            yield from (
                gradient_case(sizes, dtypes, first, how) for how in _forms(spec, sizes, first)
            )
        yield from _others(spec, sizes, first)
    yield from _second_otherwise(spec)


def _second_otherwise(spec: OperatorSpec) -> Iterator[Case]:
    """Second derivatives for every other value of a scalar."""
    dtypes = dtype_choices(spec)[0]
    for scalars in scalar_choices(spec)[1:]:
        for sizes in rich_sizes(spec, scalars):
            yield gradient_case(sizes, dtypes, scalars, "double backward")


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
            for chosen in dtypes if count == 1 else dtypes[:1]:
                yield gradient_case(sizes, chosen, scalars, DENSE, asked=asked)
    for left_out in list(absences(spec))[1:]:
        yield gradient_case(sizes, dtypes[0], scalars, DENSE, absent=left_out)
    learned = with_gradient(spec, dtypes[0])
    for name in learned if len(learned) > 1 else ():
        yield gradient_case(sizes, dtypes[0], scalars, "undefined", undefined=name)
    yield gradient_case(sizes, dtypes[0], scalars, DENSE, leaves=False)
    for question in _ASKED_OF_ALL:
        for chosen in dtypes if question == "double backward" else dtypes[:1]:
            yield gradient_case(
                sizes,
                _as_wide(spec, chosen) if question == "gradcheck" else chosen,
                scalars,
                question,
            )


def _as_wide(spec: OperatorSpec, dtypes: dict[str, str]) -> dict[str, str]:
    """float64 where there is such a kernel."""
    wide = [choice for choice in dtype_choices(spec) if "float64" in choice.values()]
    return wide[0] if wide else dtypes


def run(case: Case, subject: Subject) -> Outcome:
    """Judge the gradients of one call; a planted error of 1 % that passes makes it no evidence."""
    if subject.lacks_backward:
        return not_checked(subject.lacks_backward)
    call = make_call(subject.spec, case)
    wanted = differentiable(call)
    if "asked" in case.extra:
        wanted = [name for name in wanted if name in case.extra["asked"]]
    if not wanted:
        return not_checked("none of the arguments asked about can have a gradient")
    if question := _QUESTIONS.get(case.extra["how"]):
        return question(case, subject, call)
    return judged(case, subject, call, wanted)


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
    compiles=True,
)
