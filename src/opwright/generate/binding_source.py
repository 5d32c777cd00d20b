"""The C++ text of a generated binding: contract, allocation, dispatch over dtypes, registration."""

from __future__ import annotations

from collections.abc import Iterator

from opwright.generate.contract import contract
from opwright.generate.cpp import indented
from opwright.generate.launch import allocations, copies, launch, results
from opwright.generate.signature import declaration, explicit_instantiations
from opwright.spec.operator import OperatorSpec
from opwright.spec.target import Target

GENERATOR_VERSION = "5"
BINDINGS = ("stable", "aten")

_TAKE = {"int": "integer", "float": "real", "bool": "boolean", "str": "text", "Tensor": "tensor"}
_EXPORT = 'extern "C" __attribute__((visibility("default")))'


def binding_text(spec: OperatorSpec, target: Target, binding: str) -> str:
    """The translation unit that PyTorch calls."""
    body = (
        *_take(spec),
        *contract(spec, target),
        *(line for part in (copies, allocations) for line in part(spec)),
        *launch(spec, target),
        *results(spec),
    )
    return "\n".join(
        [
            _heading(spec),
            f"#include <opwright/binding_{binding}.h>",
            "#include <opwright/binding.h>",
            "#include <opwright/dtype.h>",
            *_device_headers(target),
            "",
            declaration(spec, target) + ";",
            "",
            "namespace {",
            "",
            "namespace ob = opwright::binding;",
            "",
            "void call__(ob::Stack& stack__) {",
            *indented(body),
            "}",
            "",
            "}  // namespace",
            "",
            f"{_EXPORT} void* opwright_kernel() {{",
            "  return reinterpret_cast<void*>(&ob::boxed<call__>);",
            "}",
            "",
            f"{_EXPORT} void* opwright_register(const char* ns, const char* dispatch_key,",
            "                                   char* problem, int64_t problem_bytes) {",
            f'  return ob::offer(ns, "{spec.name}", dispatch_key, ob::boxed<call__>,',
            "                   {problem, problem_bytes});",
            "}",
            "",
            f"{_EXPORT} void opwright_exchange(void* place, void* kernel) {{",
            "  static_cast<ob::Place*>(place)->exchange(reinterpret_cast<ob::Boxed>(kernel));",
            "}",
            "",
            f"{_EXPORT} void opwright_unregister(void* place) {{",
            "  ob::withdraw(static_cast<ob::Place*>(place));",
            "}",
            "",
            *(_quick_call() if binding == "stable" else ()),
        ]
    )


def kernel_text(spec: OperatorSpec, target: Target, source: str) -> str:
    """The translation unit of the user's kernel with its instantiations; ``source`` brings the kernel."""
    return "\n".join(
        [
            _heading(spec),
            source,
            "",
            "// What the description asks of the kernel. An error here means that its signature differs:",
            *("//   " + line for line in declaration(spec, target).splitlines()),
            explicit_instantiations(spec, target),
            "",
        ]
    )


def kernel_advice(spec: OperatorSpec, target: Target, source: str) -> str:
    """What an error in the text of `kernel_text` asks of its author."""
    return (
        f"For the schema of {spec.name}, {source} has to define exactly this:\n"
        f"{declaration(spec, target)}"
    )


def _quick_call() -> Iterator[str]:
    yield f"{_EXPORT} PyObject* opwright_quick_call(PyObject* seen, const ob::ThreadState* state) {{"
    yield "  return ob::quick_function(seen, *state);"
    yield from ("}", "")


def _device_headers(target: Target) -> tuple[str, ...]:
    kind = "cuda" if target.kind == "hip" else target.kind  # PyTorch calls both by one name
    return () if kind == "cpu" else (f"#include <opwright/binding_{kind}.h>",)


def _heading(spec: OperatorSpec) -> str:
    return f"// Generated from the description of {spec.name}; edits are lost."


def _take(spec: OperatorSpec) -> Iterator[str]:
    """All arguments are taken before the first check, so that a refusal leaks none."""
    for index, argument in enumerate(spec.schema.arguments):
        name = argument.name
        taken = f"stack__.{'optional_' if argument.optional else ''}{_TAKE[argument.type]}({index})"
        if argument.is_tensor:
            yield f"ob::Tensor {name} = {taken};"
        elif argument.type == "str":
            yield f"const ob::Text {name}__text = {taken};"
            yield f"const char* {name} = {name}__text.c_str();"
        else:
            yield f"const auto {name} = {taken};"
    for argument in spec.schema.tensors:
        name = argument.name
        yield f'const ob::Argument {name}__is("{spec.name}", "{name}", {name});'
    yield f'[[maybe_unused]] const ob::Exact exact__("{spec.name}");'
