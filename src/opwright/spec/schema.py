"""Operator schemas: the part of PyTorch's schema language that an operator description can use."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Any

from opwright.errors import SpecError

SCALARS = ("int", "float", "bool", "str")
_HEAD = re.compile(r"\s*(?:(?P<ns>\w+)::)?(?P<name>\w+)\s*\((?P<args>.*)\)\s*->\s*(?P<returns>.+?)\s*")
_ARGUMENT = re.compile(
    r"(?P<type>Tensor|int|float|bool|str)(?:\((?P<alias>\w+)(?P<write>!)?\))?(?P<optional>\?)?"
    r"\s+(?P<name>\w+)\s*(?:=\s*(?P<default>.+))?"
)
_RETURN = re.compile(r"Tensor(?:\((?P<alias>\w+)!\))?(?:\s+(?P<name>\w+))?")
_EXAMPLE = 'Write it as PyTorch does: "bias_gelu(Tensor input, Tensor bias, float eps=1e-5) -> Tensor".'


@dataclass(frozen=True)
class Argument:
    """One argument. ``mutated`` names the alias set of ``Tensor(a!)``, None when it is only read."""

    name: str
    type: str
    optional: bool = False
    mutated: str | None = None
    has_default: bool = False
    default: Any = None

    @property
    def is_tensor(self) -> bool:
        """Whether the argument is a tensor (optional or not)."""
        return self.type == "Tensor"


@dataclass(frozen=True)
class Return:
    """One returned tensor; ``alias`` names the mutated argument's alias set that it is."""

    name: str
    alias: str | None = None


@dataclass(frozen=True)
class Schema:
    """A parsed schema. ``text`` is what the dispatcher is given, without a namespace."""

    name: str
    namespace: str | None
    arguments: tuple[Argument, ...]
    returns: tuple[Return, ...]
    text: str

    @property
    def tensors(self) -> tuple[Argument, ...]:
        """The tensor arguments, in order."""
        return tuple(argument for argument in self.arguments if argument.is_tensor)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        """The scalar arguments, in order."""
        return tuple(argument for argument in self.arguments if not argument.is_tensor)

    @property
    def fresh_returns(self) -> tuple[Return, ...]:
        """The returned tensors that the binding allocates."""
        return tuple(item for item in self.returns if item.alias is None)

    def argument(self, name: str) -> Argument:
        """The argument of that name; `KeyError` when there is none."""
        return next(a for a in self.arguments if a.name == name)


def parse_schema(text: str) -> Schema:
    """Read a schema; raise `SpecError` that names the part that is wrong."""
    if not isinstance(text, str):
        raise SpecError(f"the schema is {text!r}, not text", hint=_EXAMPLE)
    head = _HEAD.fullmatch(text)
    if head is None:
        raise SpecError(f"schema {text!r} is not of the form 'name(arguments) -> returns'", hint=_EXAMPLE)
    arguments = tuple(_argument(part, text) for part in _split(head["args"]) if part != "*")
    names = [argument.name for argument in arguments]
    for name in names:
        if names.count(name) > 1:
            raise SpecError(f"schema {text!r}: two arguments are named {name!r}", hint="Rename one.")
    returns = _returns(head["returns"], arguments, text)
    body = text.strip().removeprefix(f"{head['ns']}::")
    return Schema(head["name"], head["ns"], arguments, returns, body)


def _argument(part: str, schema: str) -> Argument:
    match = _ARGUMENT.fullmatch(part)
    if match is None or (match["alias"] and (match["type"] != "Tensor" or match["optional"])):
        raise SpecError(
            f"schema {schema!r}: argument {part!r} is not understood",
            hint="Arguments are Tensor, Tensor?, Tensor(a!), int, float, bool or str (each scalar also "
            "optional, such as int?), then a name, then perhaps '= default'. Lists, devices and "
            "generators are not supported in a generated binding.",
        )
    if match["alias"] and not match["write"]:
        raise SpecError(
            f"schema {schema!r}: argument {part!r} may be returned as a view",
            hint="Views are not supported: return a fresh tensor, or write into the argument: Tensor(a!).",
        )
    default = _default(match["default"], part, schema) if match["default"] else None
    return Argument(
        match["name"], match["type"], bool(match["optional"]), match["alias"],
        match["default"] is not None, default,
    )  # fmt: skip


def _default(text: str, part: str, schema: str) -> Any:
    if text == "None":
        return None
    try:
        return ast.literal_eval(text.replace("true", "True").replace("false", "False"))
    except (ValueError, SyntaxError) as error:
        raise SpecError(
            f"schema {schema!r}: default {text!r} of {part!r} is not a value", hint=_EXAMPLE
        ) from error


def _returns(text: str, arguments: tuple[Argument, ...], schema: str) -> tuple[Return, ...]:
    inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    written = {argument.mutated for argument in arguments if argument.mutated}
    returns = []
    for index, part in enumerate(_split(inner)):
        match = _RETURN.fullmatch(part)
        if match is None:
            raise SpecError(
                f"schema {schema!r}: return {part!r} is not understood",
                hint="Returns are Tensor, (Tensor, Tensor), Tensor(a!) for a written argument, or ().",
            )
        if match["alias"] and match["alias"] not in written:
            raise SpecError(
                f"schema {schema!r}: return {part!r} aliases no argument", hint="Mark one as Tensor(a!)."
            )
        returns.append(Return(match["name"] or f"output{index}", match["alias"]))
    if len(returns) == 1 and not text.startswith("(") and returns[0].name == "output0":
        returns = [Return("output", returns[0].alias)]
    return tuple(returns)


def _split(text: str) -> list[str]:
    """Split at commas that are not inside quotes."""
    parts = re.findall(r"(?:[^,\"']|\"[^\"]*\"|'[^']*')+", text)
    return [part.strip() for part in parts if part.strip()]
