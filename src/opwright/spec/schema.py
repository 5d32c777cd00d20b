"""Operator schemas: the part of PyTorch's schema language that an operator description can use."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterable, Mapping
from typing import Any

from opwright.errors import SpecError
from opwright.frozen import Frozen, replace
from opwright.spec.naming import check_name, check_operator_name

SCALARS: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (float, int),
    "bool": (bool,),
    "str": (str,),
}
_PLAIN_DECIMAL = frozenset("-+.0123456789eE")
_EXAMPLE = (
    'Write it as PyTorch does: "bias_gelu(Tensor input, Tensor bias, float eps=1e-5) -> Tensor".'
)
_LARGEST_INT = 2**63


class Argument(Frozen):
    """One argument. ``mutated`` names the alias set of ``Tensor(a!)``, None when it is only read."""

    name: str
    type: str
    optional: bool = False
    mutated: str | None = None
    has_default: bool = False
    default: Any = None
    keyword_only: bool = False

    @property
    def is_tensor(self) -> bool:
        """Whether the argument is a tensor (optional or not)."""
        return self.type == "Tensor"

    def takes(self, value: object) -> bool:
        """Whether a scalar argument can have this value: its type, None where that is allowed."""
        if value is None:
            return self.optional
        if self.is_tensor or not isinstance(value, SCALARS[self.type]):
            return False
        if isinstance(value, bool) and self.type != "bool":
            return False
        return not isinstance(value, int) or -_LARGEST_INT <= value < _LARGEST_INT


class Return(Frozen):
    """One returned tensor; ``alias`` names the mutated argument's alias set that it is."""

    name: str
    alias: str | None = None


class Schema(Frozen):
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
    def required_tensors(self) -> tuple[Argument, ...]:
        """The tensor arguments that are always there; the first decides the device."""
        return tuple(argument for argument in self.tensors if not argument.optional)

    @property
    def scalars(self) -> tuple[Argument, ...]:
        """The scalar arguments, in order."""
        return tuple(argument for argument in self.arguments if not argument.is_tensor)

    @property
    def fresh_returns(self) -> tuple[Return, ...]:
        """The returned tensors that the binding allocates."""
        return tuple(item for item in self.returns if item.alias is None)

    @property
    def alias_owners(self) -> dict[str, str]:
        """Alias set -> the argument that is written to: ``{"a": "c"}`` for ``Tensor(a!) c``."""
        return {a.mutated: a.name for a in self.tensors if a.mutated}

    def argument(self, name: str) -> Argument:
        """The argument of that name; `KeyError` when there is none."""
        return {argument.name: argument for argument in self.arguments}[name]

    def as_call(self, values: Mapping[str, Any]) -> tuple[list[Any], dict[str, Any]]:
        """Values by name as positional and keyword arguments of a call, in the schema's order."""
        positional = [values[a.name] for a in self.arguments if not a.keyword_only]
        return positional, {a.name: values[a.name] for a in self.arguments if a.keyword_only}


def parse_schema(text: object) -> Schema:
    """Read a schema; raise `SpecError` that names the part that is wrong."""
    if not isinstance(text, str):
        raise SpecError(f"is {text!r}, not text", hint=_EXAMPLE)
    one_line = " ".join(line.strip() for line in text.splitlines() if line.strip())
    full_name, _, rest = one_line.partition("(")
    taken, _, given = (part.strip() for part in rest.rpartition("->"))
    if not taken.endswith(")") or not given:
        raise SpecError(f"{text!r} is not of the form 'name(arguments) -> returns'", hint=_EXAMPLE)
    namespace, _, name = full_name.strip().rpartition("::")
    check_operator_name(name)
    arguments = _arguments(taken[:-1])
    returns = _returns(given, arguments)
    _require_distinct([*(a.name for a in arguments), *(r.name for r in returns if not r.alias)])
    body = one_line.removeprefix(f"{namespace}::")
    return Schema(name, namespace or None, arguments, returns, body)


def _arguments(text: str) -> tuple[Argument, ...]:
    parts = _split(text)
    if parts.count("*") > 1 or parts[-1:] == ["*"]:
        raise SpecError("'*' stands for nothing", hint="Put one '*' in front of keyword arguments.")
    star = parts.index("*") if "*" in parts else len(parts)
    arguments = [_argument(part) for part in parts[:star]]
    arguments += [replace(_argument(part), keyword_only=True) for part in parts[star + 1 :]]
    for before, after in itertools.pairwise(arguments):
        if before.has_default and not after.has_default and not after.keyword_only:
            raise SpecError(
                f"argument {after.name!r} has no default, and stands behind one that has",
                hint="Reorder them, or give it a default.",
            )
    aliases = [argument.mutated for argument in arguments if argument.mutated]
    for alias in aliases:
        if aliases.count(alias) > 1:
            raise SpecError(
                f"two arguments are marked ({alias}!)", hint="Use a letter for each: (a!), (b!)."
            )
    return tuple(arguments)


def _argument(part: str) -> Argument:
    head, equals, default = (text.strip() for text in part.partition("="))
    kind, name = _type_and_name(head)
    optional = kind.endswith("?")
    base, alias, written = _type_and_alias(kind.removesuffix("?"))
    known = base == "Tensor" or base in SCALARS
    if (
        not known
        or not name
        or (equals and not default)
        or (alias and (optional or base in SCALARS))
    ):
        raise SpecError(
            f"argument {part!r} is not understood",
            hint="Arguments are Tensor, Tensor?, Tensor(a!), int, float, bool or str (each scalar also "
            "optional, such as int?), then a name, then perhaps '= default'. Lists, devices and "
            "generators are not supported.",
        )
    if alias and not written:
        raise SpecError(
            f"argument {part!r} may be returned as a view",
            hint="Views are not supported: return a fresh tensor, or write into the argument: Tensor(a!).",
        )
    check_name(name, "argument")
    argument = Argument(name, base, optional, alias)
    if not equals:
        return argument
    return replace(argument, has_default=True, default=_default(default, argument))


def _type_and_name(text: str) -> tuple[str, str]:
    """``Tensor(a!) c`` in two; a name is one word, and may be missing."""
    words = text.split()
    if len(words) == 2 and words[1].isidentifier():
        return words[0], words[1]
    return text, ""


def _type_and_alias(text: str) -> tuple[str, str | None, bool]:
    """``Tensor(a!)`` as type, alias set, and whether it is written; a text that is none stays whole."""
    base, _, inner = text.partition("(")
    alias = inner.removesuffix(")").removesuffix("!")
    if text not in (f"{base}({alias})", f"{base}({alias}!)") or not alias.isidentifier():
        return text, None, False
    return base, alias, text.endswith("!)")


def _default(text: str, argument: Argument) -> Any:
    what = f"default {text} of argument {argument.name!r}"
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError) as error:
        raise SpecError(f"{what} is not a value", hint=_EXAMPLE) from error
    if argument.type == "float" and argument.optional and type(value) is int:
        raise SpecError(f"{what} stays an int in PyTorch", hint=f"Write {value}.0.")
    if type(value) in (int, float) and not _is_plain_decimal(text):
        raise SpecError(f"{what} is not plain decimal", hint="PyTorch would read it differently.")
    if not argument.takes(value):
        kind = argument.type + ("?" if argument.optional else "")
        raise SpecError(f"{what} is no {kind}", hint=f"Give a value that a {kind} can have.")
    return float(value) if argument.type == "float" and value is not None else value


def _is_plain_decimal(text: str) -> bool:
    """Whether a number that Python reads is one that PyTorch reads alike: not ``0x10``, ``1_000``, ``- 1``."""
    return set(text) <= _PLAIN_DECIMAL and not text.startswith("+")


def _returns(text: str, arguments: tuple[Argument, ...]) -> tuple[Return, ...]:
    inner = text[1:-1] if text.startswith("(") and text.endswith(")") else text
    parts = _split(inner)
    written = {argument.mutated for argument in arguments if argument.mutated}
    returns: list[Return] = []
    for index, part in enumerate(parts):
        kind, name = _type_and_name(part)
        base, alias, changed = _type_and_alias(kind)
        if base != "Tensor" or changed != (alias is not None):
            raise SpecError(
                f"return {part!r} is not understood",
                hint="Returns are Tensor, (Tensor, Tensor), Tensor(a!) for a written argument, or ().",
            )
        if alias and alias not in written:
            raise SpecError(
                f"return {part!r} is no argument", hint="Mark one as Tensor(a!), or return Tensor."
            )
        if alias and alias in [item.alias for item in returns]:
            raise SpecError(f"argument ({alias}!) is returned twice", hint="Return it once.")
        name = name or ("output" if len(parts) == 1 else f"output{index}")
        returns.append(Return(check_name(name, "return"), alias))
    if not returns and not written:
        raise SpecError("nothing is returned and nothing is written", hint="Return a Tensor.")
    return tuple(returns)


def _require_distinct(names: Iterable[str]) -> None:
    seen = set()
    for name in names:
        if name in seen:
            raise SpecError(
                f"two arguments or returns are named {name!r}",
                hint="Rename one; an unnamed return is called 'output', or 'output0', 'output1' ...: "
                "'-> Tensor result' names it.",
            )
        seen.add(name)


def _split(text: str) -> list[str]:
    """Split at commas that are not inside quotes."""
    parts = [""]
    for part in text.split(","):
        if _is_open(parts[-1]):
            parts[-1] += f",{part}"
        else:
            parts.append(part)
    return [part.strip() for part in parts if part.strip()]


def _is_open(text: str) -> bool:
    """Whether a quote that begins in ``text`` ends behind it."""
    quote = ""
    for letter in text:
        if letter in "\"'" and quote in ("", letter):
            quote = "" if quote else letter
    return bool(quote)
