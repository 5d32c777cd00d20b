"""The C++ signature that a description asks of its kernel."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

from opwright.spec.dtypes import DTYPES
from opwright.spec.operator import OperatorSpec
from opwright.spec.schema import Argument
from opwright.spec.target import Target

# What a launcher of a device kernel takes last.
_STREAM = ("opwright::Stream", "stream__")
_SCALARS = {"int": "int64_t", "float": "double", "bool": "bool", "str": "const char*"}


def instantiations(spec: OperatorSpec) -> Iterator[dict[str, str]]:
    """Every combination of dtypes by type variable: each needs a kernel of its own."""
    variables = spec.type_variables
    for combination in itertools.product(*(variable.dtypes for variable in variables)):
        yield {v.name: dtype for v, dtype in zip(variables, combination, strict=True)}


def template_head(spec: OperatorSpec) -> str:
    """``template <typename T>`` and a line's end; nothing where every dtype is fixed."""
    variables = ", ".join(f"typename {v.name}" for v in spec.type_variables)
    return f"template <{variables}>\n" if variables else ""


def template_arguments(spec: OperatorSpec, dtypes: Mapping[str, str]) -> str:
    """``<float>`` for one instantiation; nothing where every dtype is fixed."""
    types = ", ".join(DTYPES[dtypes[v.name]].cpp for v in spec.type_variables)
    return f"<{types}>" if types else ""


def parameters(
    spec: OperatorSpec, target: Target, dtypes: Mapping[str, str] | None = None
) -> list[tuple[str, str]]:
    """(C++ type, name) of every parameter: arguments in schema order, fresh outputs, a device's stream."""
    listed = [
        (_argument_type(spec, argument, dtypes), argument.name)
        for argument in spec.schema.arguments
    ]
    for index, item in enumerate(spec.schema.fresh_returns):
        tensor = spec.outputs[index]
        element = _element(spec.dtype_of(tensor), dtypes)
        listed.append((f"opwright::View<{element}, {len(tensor.sizes)}>", item.name))
    return listed if target.kind == "cpu" else [*listed, _STREAM]


def declaration(spec: OperatorSpec, target: Target) -> str:
    """The declaration of the kernel (for a device: of its launcher), as a user has to write it."""
    listed = ", ".join(f"{kind} {name}" for kind, name in parameters(spec, target))
    return f"{template_head(spec)}void {spec.name}({listed})"


def explicit_instantiations(spec: OperatorSpec, target: Target) -> str:
    """One explicit instantiation for each combination of declared dtypes.

    Where every dtype is fixed the kernel is no template: its declaration is repeated, and the linker
    says if its definition differs.
    """
    template = "template " if spec.type_variables else ""
    lines = []
    for dtypes in instantiations(spec):
        listed = ", ".join(kind for kind, _ in parameters(spec, target, dtypes))
        lines.append(f"{template}void {spec.name}{template_arguments(spec, dtypes)}({listed});")
    return "\n".join(lines)


def view_type(
    spec: OperatorSpec, argument: Argument, dtypes: Mapping[str, str] | None
) -> tuple[str, int]:
    """(element type, rank) of the View that a tensor argument becomes."""
    tensor = spec.inputs[argument.name]
    element = _element(spec.dtype_of(tensor), dtypes)
    return (element if argument.mutated else f"const {element}", len(tensor.sizes))


def _argument_type(spec: OperatorSpec, argument: Argument, dtypes: Mapping[str, str] | None) -> str:
    if argument.is_tensor:
        element, rank = view_type(spec, argument, dtypes)
        return f"opwright::View<{element}, {rank}>"
    kind = _SCALARS[argument.type]
    # A str that may be None is a null pointer already.
    return f"opwright::Optional<{kind}>" if argument.optional and argument.type != "str" else kind


def _element(dtype: str, dtypes: Mapping[str, str] | None) -> str:
    if dtype in DTYPES:
        return DTYPES[dtype].cpp
    return dtype if dtypes is None else DTYPES[dtypes[dtype]].cpp
