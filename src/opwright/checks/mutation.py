"""Mutation and aliasing: what the schema says of memory is true. Inputs stay, outputs are their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from opwright.checks.judging.outputs import run_operator, same_bits
from opwright.checks.judging.programs import Program, arguments_text
from opwright.checks.judging.refusals import refused
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject
from opwright.inputs.call import Call, make_call, results_of
from opwright.inputs.special import SPRINKLED, sprinkled, sweep
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import large_size_sets, size_sets
from opwright.spec.tensor import Tensor
from opwright.spec.undeclared import undeclared_scalars

_SIZES = 6
_LISTED = 24
_SPECIAL_ELEMENTS = 1 << 13
_SWEPT = (torch.float64, torch.float32, torch.float16, torch.bfloat16)
_STEP = 37  # of a sweep over all values
_LARGE = (64.0, -64.0, 1024.0, -1024.0)


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """A few sizes, every dtype and every scalar value: each may be another path. Then each size of 1.

    Then what the description only allows, and a call may refuse: special values, and other scalars.
    """
    for choice, scalars in enumerate(scalar_choices(spec)):
        for seed, sizes in enumerate(size_sets(spec, scalars, count=1 if choice else _SIZES)):
            for dtypes in dtype_choices(spec):
                name = case_name(sizes, dtypes, scalars)
                yield Case("mutation", name, dtypes, sizes, scalars, seed=seed)
    # Where there is nothing to do, an argument is easily given back.
    scalars, dtypes = scalar_choices(spec)[0], dtype_choices(spec)[0]
    for sizes in size_sets(spec, scalars, count=_LISTED)[_SIZES:]:
        if any(_is_one(value) for value in sizes.values()):
            yield Case("mutation", case_name(sizes, dtypes, scalars), dtypes, sizes, scalars)
    yield from _unlisted(spec)


def _unlisted(spec: OperatorSpec) -> Iterator[Case]:
    scalars = scalar_choices(spec)[0]
    for sizes in large_size_sets(spec, scalars, count=1, max_elements=_SPECIAL_ELEMENTS):
        for dtypes in dtype_choices(spec):
            extra = {"unlisted": True, "special": True}
            name = case_name(sizes, dtypes, scalars, (), "special values")
            yield Case("mutation", name, dtypes, sizes, scalars, extra=extra)
    for name, value in undeclared_scalars(spec):
        other = {**scalars, name: value}
        for sizes in size_sets(spec, other, count=1):
            for dtypes in dtype_choices(spec):
                extra = {"unlisted": True}
                named = case_name(sizes, dtypes, other)
                yield Case("mutation", named, dtypes, sizes, other, extra=extra)


def _is_one(value: Any) -> bool:
    return 1 in value if isinstance(value, tuple) else bool(value == 1)


def run(case: Case, subject: Subject) -> Outcome:
    """Call, look at the inputs and at where the outputs lie; call again, and look at the outputs again."""
    call = _call(subject.spec, case)
    before = call.cloned()
    returned: list[Any] = []

    def kept(*arguments: Any, **keywords: Any) -> Any:
        operator_runs()
        returned.append(subject.call(*arguments, **keywords))
        return returned[0]

    try:
        with torch.no_grad():
            results = results_of(subject.spec, kept, call)
    except Exception as error:
        if not case.extra.get("unlisted"):
            raise
        return not_checked(f"refused, and nothing lists this: {refused(error)}")
    fresh = results[: len(results) - len(call.written)]
    found = [
        *_changed_inputs(before, call),
        *_shared(subject.spec, fresh, call),
        *_copies(subject.spec, returned[0], call),
        *_overwritten(case, subject, fresh),
    ]
    return failed(*found) if found else passed()


def _call(spec: OperatorSpec, case: Case) -> Call:
    """The call of a case, with special values in all its floating-point arguments where it asks for them."""
    call = make_call(spec, case)
    if not case.extra.get("special"):
        return call
    changed = {
        name: _special(tensor, spec.inputs[name])
        for name, tensor in call.tensors.items()
        if tensor.dtype in _SWEPT
    }
    return Call(spec, {**call.arguments, **changed})


def _special(drawn: torch.Tensor, described: Tensor) -> torch.Tensor:
    """The tensor, of which every second element is special, as far as its range allows."""
    singles = [sprinkled(name, drawn.dtype) for name in SPRINKLED]
    values = torch.cat([drawn.new_tensor([*singles, 0.0, *_LARGE]), sweep(drawn.dtype)[::_STEP]])
    if described.range is not None:
        low, high = described.range
        values = values[(values >= low) & (values <= high)]
    changed = drawn.clone()
    flat = changed.view(-1)
    if values.numel():
        places = torch.arange(0, flat.numel(), 2)
        flat[places] = values[torch.arange(places.numel()) % values.numel()]
    return changed


def _changed_inputs(before: Call, after: Call) -> Iterator[Finding]:
    for name, tensor in before.tensors.items():
        now = after.arguments[name]
        if name in after.written or same_bits(tensor, now):
            continue
        places = ((tensor != now) & ~(tensor.isnan() & now.isnan())).reshape(-1).nonzero()
        where = f", first at flat index {int(places[0])}" if places.numel() else ""
        yield Finding(
            "input changed",
            f"{max(1, places.numel())} of {tensor.numel()} elements of argument `{name}` were changed{where}, "
            "and the schema does not say that it is written to. Write elsewhere, or declare "
            f"`Tensor(a!) {name}`.",
            {"argument": name, "count": places.numel()},
        )


def _shared(spec: OperatorSpec, fresh: Sequence[torch.Tensor], call: Call) -> Iterator[Finding]:
    """Fresh outputs that lie in an input's memory, or begin where another output does."""
    names = [item.name for item in spec.schema.fresh_returns]
    tensors = [*call.tensors.items(), *zip(names, fresh, strict=False)]
    inputs = len(call.tensors)
    for position in range(inputs, len(tensors)):
        name, tensor = tensors[position]
        for place, (other_name, other) in enumerate(tensors[:position]):
            same = _storage(tensor) == _storage(other)
            if place >= inputs:  # outputs may be different parts of one allocation
                same = tensor.data_ptr() == other.data_ptr()
            if tensor.numel() and other.numel() and same:
                what = "argument" if place < inputs else "output"
                yield Finding(
                    "output shares memory",
                    f"output `{name}` lies in the memory of {what} `{other_name}`, and the schema calls it "
                    "a fresh tensor: whoever writes to one changes the other. Return a copy.",
                    {"output": name, "with": other_name},
                )


def _copies(spec: OperatorSpec, returned: Any, call: Call) -> Iterator[Finding]:
    """Returned ``Tensor(a!)`` have to be the argument itself."""
    listed = returned if isinstance(returned, (tuple, list)) else (returned,)
    owners = spec.schema.alias_owners
    for item, value in zip(spec.schema.returns, listed, strict=False):
        if item.alias is None or not isinstance(value, torch.Tensor) or not value.numel():
            continue
        name = owners[item.alias]
        if value.data_ptr() != call.arguments[name].data_ptr():
            yield Finding(
                "written argument returned as a copy",
                f"the schema returns argument `{name}` itself (`Tensor({item.alias}!)`), and other memory "
                "came back. Return the argument.",
                {"argument": name},
            )


def _overwritten(case: Case, subject: Subject, fresh: Sequence[torch.Tensor]) -> Iterator[Finding]:
    """Whether a later call, with other values, writes into the outputs of this one."""
    kept = [tensor.clone() for tensor in fresh]
    other = make_call(subject.spec, case.with_other_values())
    run_operator(subject, other)
    names = [item.name for item in subject.spec.schema.fresh_returns]
    for name, before, after in zip(names, kept, fresh, strict=False):
        if not same_bits(before, after):
            yield Finding(
                "output overwritten by a later call",
                f"output `{name}` changed when the operator was called again: the memory is kept between "
                "calls. Allocate it anew in each call.",
                {"output": name},
            )


def _storage(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _program(call: Call, _case: Case) -> list[str]:
    before = ", ".join(f"{name}.clone()" for name in call.tensors)
    return [
        f"before = [{before}]",
        f"print(operator({arguments_text(call)}))",
        f"print(before, [{', '.join(call.tensors)}])",
    ]


CHECK = Check(
    "mutation",
    "only what the schema marks is written to, and every output has memory of its own",
    cases,
    run,
    shrinks=True,
    program=Program(_program, _call),
)
