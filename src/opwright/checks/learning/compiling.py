"""Compilers: a compiled call is what the call itself is, for known sizes and unknown ones."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from opwright.binding.call import quick_call
from opwright.binding.dispatch import dispatcher_op
from opwright.binding.gradients import taking_all
from opwright.checks.judging.outputs import same_bits
from opwright.checks.judging.refusals import refused
from opwright.checks.learning.backends import Function, blamed, compiled, inductors_files_gone
from opwright.checks.learning.expected import continuous, differentiable, incoming_like
from opwright.checks.learning.places import (
    call_there,
    learns,
    overload_of,
    returns_arguments,
    rich_sizes,
)
from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.checks.protocol import Check, Subject, no_sizes
from opwright.inputs.call import Call, fresh_results
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.sampling import MAX_ELEMENTS, Sizes, allowed

_TIMES = (2, 3)  # how much larger tensors are when sizes change
# For torch.export, to which a size of 0 or 1 is another program, inside of the operator as well: exported at
# so many times the sizes, and run at so many. The first pair that is not too large.
_EXPORTED = ((6, 9), (4, 5), (2, 3))
_HOWS = (
    "static",
    "dynamic",
    "static gradients",
    "dynamic gradients",
    "export",
    "export dynamic",
    "inductor",
)


def cases(spec: OperatorSpec) -> Iterator[Case]:
    """Each way to compile, at one small set of sizes, in the first dtype; functions in others, too.

    A function is traced, and may take another way in each dtype and for each value of a scalar. Inductor
    only where the kernel stays one: what it makes of a traced function takes a C++ compiler long.
    """
    if returns_arguments(spec):
        return
    scalars, dtypes = scalar_choices(spec)[0], dtype_choices(spec)[0]
    for sizes in rich_sizes(spec, scalars):
        for how in _HOWS:
            if ("gradients" in how and not learns(spec)) or (
                how == "inductor" and spec.backward == OWN
            ):
                continue
            name = case_name(sizes, dtypes, scalars, (), how)
            yield Case("compile", name, dtypes, sizes, scalars, extra={"how": how})
        if spec.function is not None:
            yield from _traced_otherwise(spec, sizes)


def _traced_otherwise(spec: OperatorSpec, sizes: Sizes) -> Iterator[Case]:
    """Other dtypes, and other values of scalars."""
    first, dtypes = scalar_choices(spec)[0], dtype_choices(spec)
    others = [(chosen, first) for chosen in dtypes[1:]]
    others += [
        (dtypes[0], scalars)
        for scalars in scalar_choices(spec)[1:]
        if allowed(spec, sizes, scalars, MAX_ELEMENTS)
    ]
    how = "static gradients" if spec.backward == OWN and learns(spec) else "static"
    for chosen, scalars in others:
        name = case_name(sizes, chosen, scalars, (), how)
        yield Case("compile", name, chosen, sizes, scalars, extra={"how": how})


def run(case: Case, subject: Subject) -> Outcome:
    """Compile the call in one way, and compare bits with the call itself."""
    spec, how = subject.spec, case.extra["how"]
    overload = overload_of(subject)
    if overload is None:
        return not_checked("what is called here is no operator of the dispatcher")
    if "gradients" in how and subject.lacks_backward:
        return not_checked(subject.lacks_backward)
    if how.startswith("export"):
        return _exported(case, subject, overload)
    # What users call: the operator itself, which is Python.
    function = taking_all(spec, quick_call(spec, overload, dispatcher_op(spec).record()))
    if how == "inductor":
        with inductors_files_gone():
            return _compared(case, subject, function, "inductor")
    return _compared(case, subject, function, "aot_eager")


def _compared(case: Case, subject: Subject, function: Function, backend: str) -> Outcome:
    spec, how = subject.spec, case.extra["how"]
    dynamic = how.startswith("dynamic")
    larger = _scaled(spec, case, _TIMES) if dynamic else []
    if dynamic and not larger:
        return not_checked("no other sizes meet the description's constraints")
    sizes = [case.sizes, *larger]
    with compiled(function, backend, dynamic=dynamic) as one:
        for number, chosen in enumerate(sizes):
            sized = Case("compile", "", case.dtypes, chosen, case.scalars, seed=number)
            right = _values(sized, subject, function, gradients="gradients" in how)
            try:
                found = _values(sized, subject, one.call, gradients="gradients" in how)
            except Exception as error:
                arguments = tuple(call_there(sized, subject).in_order)
                fault = blamed(error, function, backend, arguments)
                if fault is None:
                    return not_checked(f"{backend} compiles nothing here: {refused(error)}")
                return failed(fault)
            if wrong := _differing(right, found):
                return failed(_differs(wrong, backend, how))
        graphs = one.graphs
    if len(sizes) > 1 and graphs >= len(sizes):
        return failed(_recompiles(graphs))
    return passed({"graphs": graphs})


def _scaled(spec: OperatorSpec, case: Case, factors: Sequence[int]) -> list[dict[str, Any]]:
    """Every size so many times as large: what was equal stays so, what was divisible as well."""
    scaled = [
        {
            name: tuple(times * size for size in value)
            if isinstance(value, tuple)
            else times * value
            for name, value in case.sizes.items()
        }
        for times in factors
    ]
    return [sizes for sizes in scaled if allowed(spec, sizes, case.scalars, MAX_ELEMENTS)]


def _values(
    case: Case, subject: Subject, function: Function, *, gradients: bool
) -> dict[str, torch.Tensor | None]:
    """All that a call gives, by name: results, written arguments, and gradients where asked for."""
    spec, call = subject.spec, call_there(case, subject)
    operator_runs()
    if not gradients:
        with torch.no_grad():
            return _named(call, function(*call.in_order))
    wanted = differentiable(call)
    leaves = [call.arguments[name].requires_grad_() for name in wanted]
    with torch.enable_grad():
        returned = function(*call.in_order)
    results = continuous(fresh_results(spec, returned))
    found = torch.autograd.grad(
        results, leaves, incoming_like(results, case.seed), allow_unused=True
    )
    named = {f"gradient of `{n}`": grad for n, grad in zip(wanted, found, strict=True)}
    return {**_named(call, returned), **named}


def _named(call: Call, returned: Any) -> dict[str, torch.Tensor | None]:
    names = [f"`{item.name}`" for item in call.spec.schema.fresh_returns]
    fresh = dict(zip(names, fresh_results(call.spec, returned), strict=True))
    return {**fresh, **{f"`{name}`": call.arguments[name] for name in call.written}}


def _differing(
    right: dict[str, torch.Tensor | None], found: dict[str, torch.Tensor | None]
) -> Sequence[str]:
    """Names of what is not the same, bit by bit."""
    return [
        name
        for name, tensor in right.items()
        if (tensor is None) != (found[name] is None)
        or (tensor is not None and not same_bits(tensor, _there(found[name])))
    ]


def _there(tensor: torch.Tensor | None) -> torch.Tensor:
    assert tensor is not None
    return tensor


def _differs(names: Sequence[str], backend: str, how: str) -> Finding:
    return Finding(
        "compiled differs",
        f"{' and '.join(names)} of the call compiled by {backend} ({how}) differ from those of the call "
        "itself: something of it was decided, or computed, when it was traced",
        {"differing": list(names), "backend": backend},
    )


def _recompiles(graphs: int) -> Finding:
    return Finding(
        "compiled anew for each size",
        f"{graphs} calls with sizes of their own took {graphs} graphs with dynamic=True: on the way a size "
        "becomes a number (int(), a Python loop, numpy); keep it symbolic",
        {"graphs": graphs},
    )


class _Module(torch.nn.Module):
    """The call with everything but its tensors fixed."""

    def __init__(self, overload: Function, call: Call) -> None:
        super().__init__()
        self._overload, self._call = overload, call

    def forward(self, *tensors: torch.Tensor) -> Any:
        """Call the operator with these tensors."""
        given = dict(zip(self._call.tensors, tensors, strict=True))
        positional, keywords = self._call.spec.schema.as_call({**self._call.arguments, **given})
        return self._overload(*positional, **keywords)


def _exported(case: Case, subject: Subject, overload: Function) -> Outcome:
    """Export the call, write it down, read it, and run what was read; at another size where it may change."""
    dynamic = case.extra["how"] == "export dynamic"
    sizes = [case.sizes, case.sizes]
    if dynamic:
        pairs = (_scaled(subject.spec, case, factors) for factors in _EXPORTED)
        sizes = next((pair for pair in pairs if len(pair) == 2), [])
    if not sizes:
        return not_checked("no other sizes meet the description's constraints")
    exported, run_at = (
        Case("compile", "", case.dtypes, chosen, case.scalars, seed=case.seed) for chosen in sizes
    )
    call = call_there(exported, subject)
    operator_runs()
    with torch.no_grad():
        try:
            program = _read_again(_Module(overload, call), call, dynamic=dynamic)
        except Exception as error:
            return failed(Finding("export fails", f"torch.export: {refused(error)}"))
        own, other = (call_there(run_at, subject) for _ in range(2))
        right = _named(own, taking_all(subject.spec, overload)(*own.in_order))
        try:
            returned = program(*other.tensors.values())
        except Exception as error:
            return failed(Finding("export fails", f"what was exported: {refused(error)}"))
    wrong = _differing(right, _named(other, returned))
    return failed(_differs(wrong, "torch.export", "read again")) if wrong else passed()


def _read_again(module: torch.nn.Module, call: Call, *, dynamic: bool) -> Function:
    """The module exported, written down and read."""
    tensors = tuple(call.tensors.values())
    free = tuple(dict.fromkeys(range(tensor.dim()), torch.export.Dim.AUTO) for tensor in tensors)
    program = torch.export.export(module, tensors, dynamic_shapes=(free,) if dynamic else None)
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    read: Function = torch.export.load(file).module()
    return read


def _why_none(spec: OperatorSpec) -> str:
    if returns_arguments(spec):
        return "PyTorch compiles no operator that returns its argument"
    return no_sizes(spec)


CHECK = Check(
    "compile",
    "torch.compile and torch.export give the call's own bits, in one graph, also for sizes that change",
    cases,
    run,
    why_none=_why_none,
    kinds=("cpu", "cuda", "hip"),
    takes_gradients=True,
    compiles=True,
)
