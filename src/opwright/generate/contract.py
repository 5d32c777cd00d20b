"""The C++ that refuses a call which the description does not allow, and says what was expected."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.generate.cpp import (
    block,
    boolean,
    dtype_literal,
    leader_of,
    position,
    text_literal,
)
from opwright.spec.dims import Dim, Shape
from opwright.spec.dtypes import DTYPES
from opwright.spec.expression import Expression
from opwright.spec.operator import OperatorSpec
from opwright.spec.schema import Argument
from opwright.spec.target import Target


def contract(spec: OperatorSpec, target: Target) -> Iterator[str]:
    """Every check, in an order in which each can rely on those before it."""
    known: set[str] = set()
    for argument in spec.schema.required_tensors:
        yield f"{argument.name}__is.given();"
    # Sizes come from arguments that are there; optional ones are compared with them afterwards.
    device = target.device_type
    leader = spec.schema.required_tensors[0].name
    yield f'{leader}__is.device(ob::{device}_device(), "{device}");'
    for argument in spec.schema.required_tensors:
        yield from _tensor(spec, argument, known)
    for argument in (a for a in spec.schema.tensors if a.optional):
        yield from block(argument.name, _tensor(spec, argument, set(known)))
    yield from _expression_sizes(spec)
    yield from _scalars(spec)
    yield from _constraints(spec)
    yield from _memory(spec)
    if spec.backward is None:
        for argument in spec.schema.tensors:
            yield _guarded(argument, f"{argument.name}__is.without_gradient();")


def _tensor(spec: OperatorSpec, argument: Argument, known: set[str]) -> Iterator[str]:
    name, tensor = argument.name, spec.inputs[argument.name]
    first = spec.schema.required_tensors[0].name
    if first != name:
        yield f"{name}__is.same_device({first}__is);"
    yield _dtype(spec, argument)
    fixed = len(tensor.sizes) - (tensor.shape is not None)
    yield f'{name}__is.rank({fixed}, {boolean(tensor.shape is not None)}, "{tensor}");'
    yield from _sizes(spec, argument, known)
    if tensor.shape is not None and tensor.layout == "strided":
        first_of_run = tensor.sizes.index(tensor.shape)
        yield f"{name}__is.collapsible({first_of_run}, {name}.dim() - {fixed});"
    if tensor.layout == "contiguous":
        yield f"{name}__is.dense();"
    if argument.mutated:
        yield f"{name}__is.writable();"


def _dtype(spec: OperatorSpec, argument: Argument) -> str:
    name, dtype = argument.name, spec.dtype_of(spec.inputs[argument.name])
    if dtype in DTYPES:
        return f"{name}__is.one_of({{{dtype_literal(dtype)}}});"
    variable = next(v for v in spec.type_variables if v.name == dtype)
    if variable.leader == name:
        allowed = ", ".join(dtype_literal(item) for item in variable.dtypes)
        return f"{name}__is.one_of({{{allowed}}});"
    return f"{name}__is.same_dtype({leader_of(spec, dtype)}__is);"


def _sizes(spec: OperatorSpec, argument: Argument, known: set[str]) -> Iterator[str]:
    """Name each dim where it first comes up; compare it wherever it comes up again."""
    name, sizes = argument.name, spec.inputs[argument.name].sizes
    for index, size in enumerate(sizes):
        where = position(name, index, sizes)
        behind = len(sizes) - 1 - index
        if isinstance(size, int):
            yield f'{name}__is.size({where}, int64_t({size}), "fixed");'
        elif isinstance(size, Expression):
            continue  # when every dim is known
        elif isinstance(size, Shape) and size.name in known:
            yield f'{name}__is.shape({index}, {behind}, {size.name}, "{size.name}");'
        elif isinstance(size, Shape):
            run = f"{name}.sizes() + {index}, {name}.dim() - {len(sizes) - 1}"
            yield f"[[maybe_unused]] const ob::Sizes {size.name}{{{run}}};"
        elif size.name in known:
            yield f'{name}__is.size({where}, {size.name}, "{size.name}");'
        else:
            yield f"[[maybe_unused]] const int64_t {size.name} = {name}.sizes()[{where}];"
        if isinstance(size, (Dim, Shape)):
            known.add(size.name)


def _expression_sizes(spec: OperatorSpec) -> Iterator[str]:
    for argument in spec.schema.tensors:
        sizes = spec.inputs[argument.name].sizes
        for index, size in enumerate(sizes):
            if isinstance(size, Expression):
                where = position(argument.name, index, sizes)
                check = f'{argument.name}__is.size({where}, {size.cpp()}, "{size}");'
                yield _guarded(argument, check)


def _scalars(spec: OperatorSpec) -> Iterator[str]:
    for argument in spec.schema.scalars:
        scalar = spec.scalars.get(argument.name)
        if scalar is None:
            continue
        name, where = argument.name, f'"{spec.name}", "{argument.name}"'
        value = f"*{name}" if argument.optional and argument.type != "str" else name
        if argument.type == "str":
            allowed = ", ".join(text_literal(v) for v in scalar.values if v is not None)
            yield _guarded(argument, f"ob::choice({where}, {value}, {{{allowed}}});")
        for check, bound in (("at_least", scalar.minimum), ("at_most", scalar.maximum)):
            if bound is not None:
                yield _guarded(argument, f"ob::{check}({where}, {value}, {float(bound)!r});")


def _constraints(spec: OperatorSpec) -> Iterator[str]:
    for item in spec.constraints:
        yield f'ob::constraint("{spec.name}", {item.cpp()}, "{item}", {_named(item)});'
    sizes = [size for made in spec.outputs for size in made.sizes if isinstance(size, Expression)]
    for size in dict.fromkeys(sizes):
        yield f'ob::constraint("{spec.name}", {size.cpp()} >= 0, "{size} >= 0", {_named(size)});'


def _named(expression: Expression) -> str:
    return "{" + ", ".join(f'{{"{name}", {name}}}' for name in expression.names) + "}"


def _memory(spec: OperatorSpec) -> Iterator[str]:
    for written in (a for a in spec.schema.tensors if a.mutated):
        for other in spec.schema.tensors:
            if other.name != written.name:
                yield _guarded(other, f"{written.name}__is.apart_from({other.name}__is);")


def _guarded(argument: Argument, statement: str) -> str:
    return f"if ({argument.name}) {statement}" if argument.optional else statement
