"""The fake kernel beside the real one: sizes, strides and dtypes, for numbers and for symbols."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from opwright.checks.judging.refusals import refused
from opwright.checks.learning.expected import called
from opwright.devices.placement import storage_bytes
from opwright.inputs.call import Call
from opwright.inputs.layouts import is_covered
from opwright.records.verdict import Finding, Outcome, failed, not_checked, passed
from opwright.running import operator_runs
from opwright.spec.case import Case
from opwright.spec.operator import OWN, OperatorSpec
from opwright.spec.sizing import known_values, sizes_of

if TYPE_CHECKING:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv


def faked(overload: Any, call: Call) -> Outcome:
    """Call the operator on tensors, and on fakes of them; look at the tensors' memory before and after."""
    spec = call.spec
    mode = FakeTensorMode()
    fakes = {n: mode.from_tensor(v) for n, v in call.tensors.items()}
    before = {n: storage_bytes(v).clone() for n, v in call.tensors.items() if n not in call.written}
    operator_runs()
    with torch.no_grad():
        try:
            real = called(spec, overload, call.arguments)
        except Exception as error:
            if all(tensor.is_contiguous() for tensor in call.tensors.values()):
                return not_checked(f"the call itself is refused: {refused(error)}")
            return passed(notes=(f"refused: {refused(error)}",))  # layouts says whether it may
        try:
            with mode:
                fake = called(spec, overload, {**call.arguments, **fakes})
        except Exception as error:
            return failed(_fake_fails(spec, error))
    promised = all(is_covered(spec.inputs[name], tensor) for name, tensor in call.tensors.items())
    found = [
        *_disagreeing(spec, real, [_facts(tensor) for tensor in fake], strides=promised),
        *_touched(call, before),
        *_shared(spec, real, call),
    ]
    return failed(*found) if found else passed()


def unbacked(overload: Any, case: Case, call: Call) -> Outcome:
    """Call the operator on fakes whose sizes are symbols about which nothing is known."""
    from torch.fx.experimental.symbolic_shapes import ShapeEnv  # slow, and for this alone

    spec = call.spec
    environment = ShapeEnv()
    mode = FakeTensorMode(shape_env=environment)
    with mode, torch.no_grad():
        symbols = {n: _symbols(environment, value) for n, value in case.sizes.items()}
        known = known_values(symbols, case.scalars)
        tensors = {
            name: torch.empty(
                sizes_of(spec.inputs[name], known), dtype=tensor.dtype, device=tensor.device
            )
            for name, tensor in call.tensors.items()
        }
        try:
            results = called(spec, overload, {**call.arguments, **tensors})
        except Exception as error:
            if spec.backward == OWN:  # the function itself is traced, and may ask for sizes
                return not_checked(f"it does not take sizes that are not known: {refused(error)}")
            return failed(_fake_fails(spec, error))
    values = dict(_values(symbols, case.sizes))
    made = [_numbers(tensor, values) for tensor in results]
    operator_runs()
    with torch.no_grad():
        found = [*_disagreeing(spec, called(spec, overload, call.arguments), made)]
    return failed(*found) if found else passed()


def _facts(tensor: torch.Tensor) -> dict[str, Any]:
    strides = [step for size, step in zip(tensor.shape, tensor.stride(), strict=True) if size != 1]
    empty = 0 in tensor.shape  # then no stride is ever used
    return {
        "sizes": list(tensor.shape),
        "dtype": tensor.dtype,
        "strides": [] if empty else strides,
        "device": tensor.device.type,
    }


def _disagreeing(
    spec: OperatorSpec,
    real: Sequence[torch.Tensor],
    fake: Sequence[Mapping[str, Any]],
    *,
    strides: bool = True,
) -> Iterator[Finding]:
    """What differs; strides matter where the description takes the arguments as they lie in memory."""
    names = [item.name for item in spec.schema.fresh_returns]
    for name, tensor, promised in zip(names, real, fake, strict=True):
        for what, found in _facts(tensor).items():
            if promised[what] == found or (what == "strides" and not strides):
                continue
            yield Finding(
                "fake differs",
                f"output `{name}` has {what} {found}, and the fake kernel promises compilers "
                f"{promised[what]}: compiled programs would go by that. Return what the description says, "
                "densely.",
                {"output": name, "found": str(found), "promised": str(promised[what])},
            )


def _fake_fails(spec: OperatorSpec, error: Exception) -> Finding:
    return Finding(
        "fake call fails",
        f"{spec.name} cannot be called on tensors without data, and so not be compiled: {refused(error)}",
        {"exception": type(error).__name__},
    )


def _touched(call: Call, before: Mapping[str, torch.Tensor]) -> Iterator[Finding]:
    """Whole storages: what lies beside a view's elements as well."""
    for name, memory in before.items():
        if not torch.equal(memory, storage_bytes(call.arguments[name])):
            yield Finding(
                "input changed",
                f"the memory of argument `{name}` with strides {list(call.arguments[name].stride())} is "
                "written to, and the schema does not say so: compilers would reorder around it",
                {"argument": name},
            )


def _shared(spec: OperatorSpec, real: Sequence[torch.Tensor], call: Call) -> Iterator[Finding]:
    names = [item.name for item in spec.schema.fresh_returns]
    for name, tensor in zip(names, real, strict=True):
        for argument, given in call.tensors.items():
            same = tensor.untyped_storage().data_ptr() == given.untyped_storage().data_ptr()
            if same and tensor.numel() and given.numel():
                yield Finding(
                    "output shares memory",
                    f"output `{name}` lies in the memory of argument `{argument}` with strides "
                    f"{list(given.stride())}, and the schema calls it a fresh tensor: compiled programs "
                    "would write to one and change the other. Return a copy.",
                    {"output": name, "argument": argument},
                )


def _symbols(environment: ShapeEnv, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_symbol(environment) for _ in value)
    return _symbol(environment)


def _symbol(environment: ShapeEnv) -> Any:
    made = environment.create_unbacked_symint()
    torch._check(made >= 2)  # noqa: SLF001 - public by its documentation; 0 and 1 are other programs
    return made


def _values(symbols: Mapping[str, Any], sizes: Mapping[str, Any]) -> Iterator[tuple[Any, int]]:
    for name, made in symbols.items():
        value = sizes[name]
        pairs = zip(made, value, strict=True) if isinstance(value, tuple) else [(made, value)]
        yield from ((symbol.node.expr, number) for symbol, number in pairs)


def _numbers(tensor: torch.Tensor, values: Mapping[Any, int]) -> dict[str, Any]:
    """The facts of a tensor of symbolic sizes, where these have their values."""

    def number(size: Any) -> int:
        return size if isinstance(size, int) else int(size.node.expr.subs(values))

    sizes = [number(size) for size in tensor.shape]
    steps = [number(step) for step in tensor.stride()]
    return {
        "sizes": sizes,
        "dtype": tensor.dtype,
        "strides": [step for size, step in zip(sizes, steps, strict=True) if size != 1],
        "device": tensor.device.type,
    }
