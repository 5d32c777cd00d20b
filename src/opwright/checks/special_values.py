"""Special values: every bfloat16 and float16 value, and where longer types break, against the oracle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import torch

from opwright.checks.judging.programs import Program
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.checks.special.others import OTHERS
from opwright.checks.special.sizes import wide_sizes
from opwright.checks.special.sprinkle import sprinkled_case
from opwright.checks.special.sweep import swept_case
from opwright.checks.structure.elementwise import is_elementwise
from opwright.inputs.call import Call, make_call
from opwright.records.verdict import Outcome
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import roomy_size_sets


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each floating-point argument swept, the others at 0 and at 1; every dtype."""
    scalars = scalar_choices(spec)[0]
    for dtypes in dtype_choices(spec):
        floating = [a.name for a in spec.schema.tensors if _is_floating(spec, a.name, dtypes)]
        for name in floating:
            sizes = wide_sizes(spec, name, scalars)
            if sizes is None:
                continue
            alone = len(floating) == 1
            for other in OTHERS[:1] if alone else OTHERS:
                more = [f"{name} swept"] if alone else [f"{name} swept", f"others {other}"]
                yield Case(
                    "special_values",
                    case_name({}, dtypes, None, (), *more).removeprefix("- "),
                    dtypes,
                    sizes,
                    scalars,
                    extra={"argument": name, "others": other},
                )


def run(case: Case, subject: Subject) -> Outcome:
    """Sweep where every element stands for itself; put single values among normal ones elsewhere."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # for tensors of this size more only cost time
    try:
        return _checked(case, subject)
    finally:
        torch.set_num_threads(threads)


def _checked(case: Case, subject: Subject) -> Outcome:
    small = next(iter(roomy_size_sets(subject.spec, case.scalars, count=1)), case.sizes)
    probe = make_call(subject.spec, replace(case, sizes=small))
    if is_elementwise(probe, case.extra["argument"]):
        return swept_case(case, subject)
    return sprinkled_case(replace(case, sizes=small), subject)


def _is_floating(spec: OperatorSpec, name: str, dtypes: Mapping[str, str]) -> bool:
    named = spec.dtype_of(spec.inputs[name])
    return dtypes.get(named, named) in ("float64", "float32", "float16", "bfloat16")


def _single(spec: OperatorSpec, case: Case) -> Call | None:
    """A call of one element with the value that was found, where every element stands for itself."""
    if "found" not in case.extra:
        return None
    call, name = make_call(spec, case), case.extra["argument"]
    value = call.arguments[name].reshape(-1)[:1]
    filled = torch.full_like(value, float(case.extra["found"]))
    changed = {
        n: (filled if n == name else t.reshape(-1)[:1]).view((1,) * t.dim())
        for n, t in call.tensors.items()
    }
    return Call(spec, {**call.arguments, **changed})


def _why_none(spec: OperatorSpec) -> str:
    if any(_is_floating(spec, a.name, d) for a in spec.schema.tensors for d in dtype_choices(spec)):
        return no_sizes(spec)
    return "no argument is a tensor of a floating-point dtype"


CHECK = Check(
    "special_values",
    "NaN, infinities, zeros, subnormal and huge numbers give what the reference gives, "
    "for every value of a half type where elements stand for themselves",
    cases,
    run,
    why_none=_why_none,
    program=Program(call=_single),
)
