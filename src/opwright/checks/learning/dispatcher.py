"""The dispatcher: what is registered there tells PyTorch the truth about the operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from opwright.checks.learning.fake import faked, unbacked
from opwright.checks.learning.places import (
    call_there,
    learns,
    overload_of,
    recording,
    returns_arguments,
    rich_sizes,
)
from opwright.checks.learning.registered import COMPILING, UTILITIES, opchecked
from opwright.checks.planning.choices import absences, case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.layouts import LAYOUTS, OFFSETS, can_lay_out
from opwright.records.verdict import Outcome, not_checked
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import Sizes, size_sets
from opwright.spec.sizing import known_values, sizes_of

_SIZES = 4
_MAX_ELEMENTS = 1 << 13
_IN_VIEWS = [layout for layout in LAYOUTS if layout not in OFFSETS] + ["offset 1"]


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Fakes for every dtype and layout and without optional tensors; unknown sizes; opcheck's utilities."""
    scalars = scalar_choices(spec)[0]
    dtypes = dtype_choices(spec)
    for chosen in dtypes:
        for sizes in size_sets(spec, scalars, count=_SIZES, max_elements=_MAX_ELEMENTS):
            yield _case(sizes, chosen, scalars, "fake")
    for sizes in size_sets(spec, scalars, count=1, empty=True):
        yield _case(sizes, dtypes[0], scalars, "fake")
    for sizes in rich_sizes(spec, scalars):
        for left_out in list(absences(spec))[1:]:
            yield _case(sizes, dtypes[0], scalars, "fake", absent=left_out)
        for layout in _IN_VIEWS:
            if taking := _taking(spec, sizes, scalars, layout):
                layouts = dict.fromkeys(taking, layout)
                yield _case(sizes, dtypes[0], scalars, f"fake {layout}", layouts=layouts)
        yield _case(sizes, dtypes[0], scalars, "unbacked")
        yield from _opchecks(spec, sizes, scalars)


def _opchecks(spec: OperatorSpec, sizes: Sizes, scalars: dict[str, Any]) -> Iterator[Case]:
    """With gradients where there are any; without, whatever says something else there."""
    first = dtype_choices(spec)[0]
    for utility in UTILITIES:
        if learns(spec):
            yield _case(sizes, first, scalars, f"opcheck {utility} with gradients")
        if utility != "test_autograd_registration":
            yield _case(sizes, first, scalars, f"opcheck {utility}")


def _taking(
    spec: OperatorSpec, sizes: Sizes, scalars: dict[str, Any], layout: str
) -> tuple[str, ...]:
    known = known_values(sizes, scalars)
    return tuple(
        a.name
        for a in spec.schema.tensors
        if not a.mutated and can_lay_out(sizes_of(spec.inputs[a.name], known), layout)
    )


def _case(
    sizes: Sizes, dtypes: dict[str, str], scalars: dict[str, Any], how: str, **more: Any
) -> Case:
    name = case_name(sizes, dtypes, scalars, more.get("absent", ()), how)
    return Case("dispatcher", name, dtypes, sizes, scalars, extra={"how": how}, **more)


def run(case: Case, subject: Subject) -> Outcome:
    """Ask one question of the operator's entry in the dispatcher."""
    spec, how = subject.spec, case.extra["how"]
    overload = overload_of(subject)
    if overload is None:
        return not_checked("what is called here is no operator of the dispatcher")
    if how == "unbacked":
        return unbacked(overload, case, call_there(case, subject))
    if not how.startswith("opcheck"):
        return faked(overload, call_there(case, subject))
    utility = how.split()[1]
    if utility in COMPILING and returns_arguments(spec):
        return not_checked("PyTorch compiles no operator that returns its argument")
    if not how.endswith("with gradients"):
        return opchecked(overload, call_there(case, subject), utility)
    if subject.lacks_backward:
        return not_checked(subject.lacks_backward)
    return opchecked(overload, recording(call_there(case, subject)), utility)


CHECK = Check(
    "dispatcher",
    "PyTorch's opcheck agrees, fake results are as the real ones, and no output shares an input's memory",
    cases,
    run,
    kinds=("cpu", "emulated", "cuda", "hip"),
    takes_gradients=True,
    compiles=True,
)
