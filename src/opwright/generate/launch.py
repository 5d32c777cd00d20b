"""The C++ that makes outputs, chooses the kernel's instantiation and calls it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from opwright.generate.cpp import block, dtype_literal, leader_of, size_value
from opwright.generate.signature import instantiations, template_arguments, view_type
from opwright.spec.dtypes import DTYPES
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target
from opwright.spec.tensor import Tensor


def copies(spec: OperatorSpec) -> Iterator[str]:
    """Dense copies of arguments that have layout ``copy`` and are not dense."""
    for argument in spec.schema.tensors:
        if spec.inputs[argument.name].layout == "copy":
            name = argument.name
            copied = f"{name} = ob::densified(std::move({name}), {name}__is.is_dense());"
            yield f"if ({name}) {copied}" if argument.optional else copied


def allocations(spec: OperatorSpec) -> Iterator[str]:
    """Every output, on the device of the first argument that is always there."""
    leader = _leader(spec)
    for index, item in enumerate(spec.schema.fresh_returns):
        tensor = spec.outputs[index]
        dtype = spec.dtype_of(tensor)
        chosen = dtype_literal(dtype) if dtype in DTYPES else f"{leader_of(spec, dtype)}.dtype()"
        yield f'ob::OutputSizes {item.name}__sizes("{spec.name}");'
        for size in tensor.sizes:
            yield f"{item.name}__sizes.push({size_value(size)});"
        yield f"ob::Tensor {item.name} = {item.name}__sizes.allocate({chosen}, {leader});"


def launch(spec: OperatorSpec, target: Target) -> Iterator[str]:
    """Call the instantiation for the dtypes that came, unless all that it would write is empty."""
    written = [a.name for a in spec.schema.tensors if a.mutated]
    yield from (f"ob::count_write({name});" for name in written)
    written += [item.name for item in spec.schema.fresh_returns]
    condition = " || ".join(f"ob::numel({name}) > 0" for name in written)
    yield from block(condition, _dispatch(spec, target))


def results(spec: OperatorSpec) -> Iterator[str]:
    """Hand back what the schema returns, in its order."""
    written = spec.schema.alias_owners
    for index, item in enumerate(spec.schema.returns):
        name = item.name if item.alias is None else written[item.alias]
        yield f"stack__.result({index}, std::move({name}));"


def _dispatch(spec: OperatorSpec, target: Target) -> Iterator[str]:
    if target.kind == "emulated":
        names = [a.name for a in spec.schema.tensors] + [r.name for r in spec.schema.fresh_returns]
        yield from (f'const ob::Region {name}__region({name}, "{name}");' for name in names)
        yield from _choose(spec, target)
        yield "opwright_emulated_finish();"
        return
    if target.kind != "cpu":
        yield f"const ob::DeviceGuard guard__({_leader(spec)});"
    yield from _choose(spec, target)


def _choose(spec: OperatorSpec, target: Target) -> Iterator[str]:
    stream = () if target.kind == "cpu" else (f"ob::current_stream({_leader(spec)})",)
    for dtypes in instantiations(spec):
        tests = [
            f"{v.leader}.dtype() == {dtype_literal(dtypes[v.name])}" for v in spec.type_variables
        ]
        values = ", ".join((*_values(spec, dtypes), *stream))
        call = f"::{spec.name}{template_arguments(spec, dtypes)}({values});"
        yield f"if ({' && '.join(tests)}) {call}" if tests else call


def _leader(spec: OperatorSpec) -> str:
    """The argument whose device is that of the call."""
    return spec.schema.required_tensors[0].name


def _values(spec: OperatorSpec, dtypes: Mapping[str, str]) -> Iterator[str]:
    for argument in spec.schema.arguments:
        if not argument.is_tensor:
            yield argument.name
            continue
        element, rank = view_type(spec, argument, dtypes)
        view = _view(argument.name, spec.inputs[argument.name], element)
        absent = f"opwright::View<{element}, {rank}>::absent()"
        yield f"{argument.name} ? {view} : {absent}" if argument.optional else view
    for index, item in enumerate(spec.schema.fresh_returns):
        dtype = spec.dtype_of(spec.outputs[index])
        element = DTYPES[dtypes.get(dtype, dtype)].cpp
        yield _view(item.name, spec.outputs[index], element)


def _view(name: str, tensor: Tensor, element: str) -> str:
    rank = len(tensor.sizes)
    collapse = ""
    if tensor.shape is not None:
        collapse = f", {tensor.sizes.index(tensor.shape)}, {name}.dim() - {rank - 1}"
    return f"ob::view<{element}, {rank}>({name}{collapse})"
