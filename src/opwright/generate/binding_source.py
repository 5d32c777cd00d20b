"""The C++ text of a generated binding: contract, allocation, dispatch over dtypes, registration."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.generate.signature import (
    declaration,
    explicit_instantiations,
    instantiations,
    template_arguments,
    view_type,
)
from opwright.spec.dims import Dim, Shape, Size
from opwright.spec.dtypes import DTYPES
from opwright.spec.expression import Expression
from opwright.spec.operator import OperatorSpec
from opwright.spec.schema import Argument

GENERATOR_VERSION = "1"
BINDINGS = ("stable", "aten")

_TAKE = {"int": "integer", "float": "real", "bool": "boolean", "str": "text", "Tensor": "tensor"}


def binding_text(spec: OperatorSpec, binding: str) -> str:
    """The translation unit that PyTorch calls."""
    return "\n".join(
        [
            f"// Generated from the description of {spec.name}; edits are lost.",
            f"#include <opwright/binding_{binding}.h>",
            "#include <opwright/binding.h>",
            "#include <opwright/dtype.h>",
            "",
            declaration(spec) + ";",
            "",
            "namespace {",
            "",
            "namespace ob = opwright::binding;",
            "",
            "void call(ob::Stack& stack) {",
            *_indent(_take(spec), 2),
            *_indent(_contract(spec), 2),
            *_indent(_allocate(spec), 2),
            *_indent(_launch(spec), 2),
            *_indent(_results(spec), 2),
            "}",
            "",
            "}  // namespace",
            "",
            _exports(spec),
            "",
        ]
    )


def kernel_text(spec: OperatorSpec, source: str) -> str:
    """The translation unit that holds the user's kernel with its instantiations."""
    return "\n".join(
        [
            f"// Generated from the description of {spec.name}; edits are lost.",
            f'#include "{source}"',
            "",
            "// What the description asks of the kernel. An error here means that its signature differs:",
            *("//   " + line for line in declaration(spec).splitlines()),
            explicit_instantiations(spec),
            "",
        ]
    )


def _take(spec: OperatorSpec) -> Iterator[str]:
    """All arguments are taken before the first check, so that a refusal leaks none."""
    for index, argument in enumerate(spec.schema.arguments):
        kind = ("optional_" if argument.optional else "") + _TAKE[argument.type]
        if argument.is_tensor:
            yield f"ob::Tensor {argument.name} = stack.{kind}({index});"
        elif argument.type == "str":
            yield f"const ob::Text {argument.name}_text = stack.{kind}({index});"
            yield f"const char* {argument.name} = {argument.name}_text.c_str();"
        else:
            yield f"const auto {argument.name} = stack.{kind}({index});"
    for argument in spec.schema.tensors:
        yield f'const ob::Argument {argument.name}_is("{spec.name}", "{argument.name}", {argument.name});'
    yield ""


def _contract(spec: OperatorSpec) -> Iterator[str]:
    known: set[str] = set()
    leaders = {variable.name: variable.leader for variable in spec.type_variables}
    required = [a for a in spec.schema.tensors if not a.optional]
    # Sizes come from arguments that are there; optional ones are compared with them afterwards.
    for argument in [*required, *(a for a in spec.schema.tensors if a.optional)]:
        lines = list(_argument_contract(spec, argument, known, leaders))
        if argument.optional:
            yield f"if ({argument.name}) {{"
            yield from _indent(lines, 2)
            yield "}"
        else:
            yield from lines
    yield from _expression_sizes(spec)
    yield from _scalar_contract(spec)
    yield from _constraints(spec)
    yield from _memory_contract(spec)
    yield ""


def _argument_contract(
    spec: OperatorSpec, argument: Argument, known: set[str], leaders: dict[str, str]
) -> Iterator[str]:
    name, tensor = argument.name, spec.inputs[argument.name]
    first = next(a.name for a in spec.schema.tensors if not a.optional or a is argument)
    yield f'{name}_is.device(ob::cpu_device(), "cpu");'
    if first != name:
        yield f"{name}_is.same_device({first}_is);"
    dtype = spec.dtype_of(tensor)
    if dtype in DTYPES:
        yield f"{name}_is.one_of({{{_dtype(dtype)}}});"
    elif leaders[dtype] == name:
        variable = next(v for v in spec.type_variables if v.name == dtype)
        yield f"{name}_is.one_of({{{', '.join(_dtype(d) for d in variable.dtypes)}}});"
    else:
        yield f"{name}_is.same_dtype({leaders[dtype]}_is);"
    fixed = len(tensor.sizes) - (tensor.shape is not None)
    yield f'{name}_is.rank({fixed}, {_bool(tensor.shape is not None)}, "{tensor}");'
    yield from _sizes(argument, tensor.sizes, known)
    if tensor.shape is not None and tensor.layout == "strided":
        yield f"{name}_is.collapsible({tensor.sizes.index(tensor.shape)}, {name}.dim() - {fixed});"
    if tensor.layout == "contiguous":
        yield f"{name}_is.dense();"
    if argument.mutated:
        yield f"{name}_is.writable();"


def _sizes(argument: Argument, sizes: tuple[Size | Shape, ...], known: set[str]) -> Iterator[str]:
    """Name each dim where it first comes up; compare it wherever it comes up again."""
    name = argument.name
    for position, size in enumerate(sizes):
        where = _position(name, position, sizes)
        if isinstance(size, Shape):
            fixed = len(sizes) - 1
            run = f"ob::Sizes{{{name}.sizes() + {position}, {name}.dim() - {fixed}}}"
            if size.name in known:
                yield f'{name}_is.shape({position}, {fixed - position}, {size.name}, "{size.name}");'
            elif not argument.optional:
                yield f"const ob::Sizes {size.name} = {run};"
                known.add(size.name)
        elif isinstance(size, Dim):
            if size.name in known:
                yield f'{name}_is.size({where}, {size.name}, "{size.name}");'
            elif not argument.optional:
                yield f"const int64_t {size.name} = {name}.sizes()[{where}];"
                known.add(size.name)
        elif isinstance(size, int):
            yield f'{name}_is.size({where}, {size}, "fixed");'


def _position(name: str, position: int, sizes: tuple[Size | Shape, ...]) -> str:
    """The index of a size in the tensor: counted from the end behind a Shape."""
    shape = next((i for i, size in enumerate(sizes) if isinstance(size, Shape)), None)
    return str(position) if shape is None or position < shape else f"{name}.dim() - {len(sizes) - position}"


def _expression_sizes(spec: OperatorSpec) -> Iterator[str]:
    for argument in spec.schema.tensors:
        sizes = spec.inputs[argument.name].sizes
        for position, size in enumerate(sizes):
            if isinstance(size, Expression):
                where = _position(argument.name, position, sizes)
                guard = f"if ({argument.name}) " if argument.optional else ""
                yield f'{guard}{argument.name}_is.size({where}, {size.cpp()}, "{size}");'


def _scalar_contract(spec: OperatorSpec) -> Iterator[str]:
    for argument in spec.schema.scalars:
        scalar = spec.scalars.get(argument.name)
        if scalar is None:
            continue
        name, where = argument.name, f'"{spec.name}", "{argument.name}"'
        guard = f"if ({name}) " if argument.optional else ""
        value = f"*{name}" if argument.optional and argument.type != "str" else name
        if argument.type == "str":
            allowed = ", ".join(_text(v) for v in scalar.values if v is not None)
            yield f"{guard}ob::choice({where}, {value}, {{{allowed}}});"
        if scalar.minimum is not None:
            yield f"{guard}ob::at_least({where}, {value}, {scalar.minimum!r});"
        if scalar.maximum is not None:
            yield f"{guard}ob::at_most({where}, {value}, {scalar.maximum!r});"


def _constraints(spec: OperatorSpec) -> Iterator[str]:
    for item in spec.constraints:
        yield f'ob::constraint("{spec.name}", {item.cpp()}, "{item}", {_named(item)});'
    sizes = [size for tensor in spec.outputs for size in tensor.sizes if isinstance(size, Expression)]
    for size in dict.fromkeys(sizes):
        yield f'ob::constraint("{spec.name}", {size.cpp()} >= 0, "{size} >= 0", {_named(size)});'


def _named(expression: Expression) -> str:
    return "{" + ", ".join(f'{{"{name}", {name}}}' for name in expression.names) + "}"


def _memory_contract(spec: OperatorSpec) -> Iterator[str]:
    for written in (a for a in spec.schema.tensors if a.mutated):
        for other in spec.schema.tensors:
            if other.name != written.name:
                guard = f"if ({other.name}) " if other.optional else ""
                yield f"{guard}{written.name}_is.apart_from({other.name}_is);"
    for argument in spec.schema.tensors:
        if spec.inputs[argument.name].layout == "copy":
            name = argument.name
            guard = f"if ({name}) " if argument.optional else ""
            yield f"{guard}{name} = ob::densified(std::move({name}), {name}_is.is_dense());"


def _allocate(spec: OperatorSpec) -> Iterator[str]:
    leader = next((a.name for a in spec.schema.tensors if not a.optional), None)
    leaders = {variable.name: variable.leader for variable in spec.type_variables}
    for index, item in enumerate(spec.schema.fresh_returns):
        tensor = spec.outputs[index]
        dtype = spec.dtype_of(tensor)
        shape = tensor.shape
        count = f"{len(tensor.sizes) - 1} + {shape.name}.count" if shape else str(len(tensor.sizes))
        yield f"int64_t {item.name}_sizes[64];"
        yield f"int64_t {item.name}_dim = 0;"
        for size in tensor.sizes:
            if isinstance(size, Shape):
                yield (
                    f"for (int64_t d = 0; d < {size.name}.count; ++d) "
                    f"{item.name}_sizes[{item.name}_dim++] = {size.name}.data[d];"
                )
            else:
                value = size.cpp() if isinstance(size, Expression) else str(size)
                yield f"{item.name}_sizes[{item.name}_dim++] = {value};"
        chosen = _dtype(dtype) if dtype in DTYPES else f"{leaders[dtype]}.dtype()"
        yield f"ob::Tensor {item.name} = ob::empty({item.name}_sizes, {count}, {chosen}, {leader});"
    yield ""


def _launch(spec: OperatorSpec) -> Iterator[str]:
    """Call the instantiation for the dtypes that came, unless all that it would write is empty."""
    written = [item.name for item in spec.schema.fresh_returns]
    written += [a.name for a in spec.schema.tensors if a.mutated]
    yield "if (" + " || ".join(f"ob::numel({name}) > 0" for name in written) + ") {"
    for position, dtypes in enumerate(instantiations(spec)):
        tests = [f"{v.leader}.dtype() == {_dtype(dtypes[v.name])}" for v in spec.type_variables]
        keyword = "if" if position == 0 else "} else if"
        yield f"  {keyword} ({' && '.join(tests) or 'true'}) {{"
        values = ", ".join(_values(spec, dtypes))
        yield f"    {spec.name}{template_arguments(spec, dtypes)}({values});"
    yield "  }"
    yield "}"


def _values(spec: OperatorSpec, dtypes: dict[str, str]) -> Iterator[str]:
    for argument in spec.schema.arguments:
        if not argument.is_tensor:
            yield argument.name
            continue
        element, rank = view_type(spec, argument, dtypes)
        shape = spec.inputs[argument.name].shape
        collapse = ""
        if shape is not None:
            first = spec.inputs[argument.name].sizes.index(shape)
            run = f"{argument.name}.dim() - {rank - 1}"
            collapse = f", {first}, {run}"
        view = f"ob::view<{element}, {rank}>({argument.name}{collapse})"
        absent = f"opwright::View<{element}, {rank}>::absent()"
        yield f"{argument.name} ? {view} : {absent}" if argument.optional else view
    for index, item in enumerate(spec.schema.fresh_returns):
        tensor = spec.outputs[index]
        name = spec.dtype_of(tensor)
        element = DTYPES[name if name in DTYPES else dtypes[name]].cpp
        rank = len(tensor.sizes)
        collapse = ""
        if tensor.shape is not None:
            collapse = f", {tensor.sizes.index(tensor.shape)}, {item.name}.dim() - {rank - 1}"
        yield f"ob::view<{element}, {rank}>({item.name}{collapse})"


def _results(spec: OperatorSpec) -> Iterator[str]:
    written = {a.mutated: a.name for a in spec.schema.tensors if a.mutated}
    for index, item in enumerate(spec.schema.returns):
        name = item.name if item.alias is None else written[item.alias]
        yield f"stack.result({index}, std::move({name}));"


def _exports(spec: OperatorSpec) -> str:
    export = 'extern "C" __attribute__((visibility("default")))'
    return "\n".join(
        [
            f"{export} void* opwright_register(const char* ns, const char* dispatch_key) {{",
            f'  return ob::offer<call>(ns, "{spec.name}", dispatch_key);',
            "}",
            "",
            f"{export} void opwright_unregister(void* registration) {{",
            "  ob::withdraw(static_cast<ob::Registration>(registration));",
            "}",
        ]
    )


def _indent(lines: Iterator[str] | list[str], columns: int) -> Iterator[str]:
    for line in lines:
        yield " " * columns + line if line else line


def _dtype(name: str) -> str:
    return f"ob::DType::{'boolean' if name == 'bool' else name}"


def _bool(value: bool) -> str:
    return "true" if value else "false"


def _text(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
