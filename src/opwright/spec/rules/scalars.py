"""The field that describes scalar arguments."""

from __future__ import annotations

from collections.abc import Mapping

from opwright.errors import SpecError
from opwright.spec.naming import require_known
from opwright.spec.schema import Argument, Schema
from opwright.spec.tensor import Scalar


def check_scalars(schema: Schema, scalars: object) -> dict[str, Scalar]:
    """Values to try, and bounds, for scalar arguments; those with a default can do without."""
    given = {} if scalars is None else scalars
    if not isinstance(given, Mapping):
        raise SpecError(f"is {scalars!r}", hint='Give {"eps": Scalar(1e-5, 1e-3)}.')
    require_known(given, [argument.name for argument in schema.scalars], "scalar argument")
    checked = {name: _scalar(schema.argument(name), value) for name, value in given.items()}
    for argument in schema.scalars:
        if argument.name in checked:
            _check_scalar(argument, checked[argument.name])
        elif not argument.has_default:
            raise SpecError(
                f"argument {argument.name!r} has no default and no values to try",
                hint=f'Add scalars={{"{argument.name}": Scalar(...)}}.',
            )
    return checked


def _scalar(argument: Argument, value: object) -> Scalar:
    if isinstance(value, Scalar):
        return value
    if isinstance(value, (tuple, list)):
        return Scalar(*value)
    raise SpecError(
        f"{argument.name!r} is {value!r}", hint=f"Write Scalar({value!r}): values to try."
    )


def _check_scalar(argument: Argument, scalar: Scalar) -> None:
    name, kind = argument.name, argument.type + ("?" if argument.optional else "")
    bounds = [bound for bound in (scalar.minimum, scalar.maximum) if bound is not None]
    if bounds and argument.type not in ("int", "float"):
        raise SpecError(f"{name!r} is a {kind} and has a bound", hint="Only int and float have.")
    if argument.type == "int" and not all(isinstance(bound, int) for bound in bounds):
        raise SpecError(f"{name!r} is an int and has a bound that is none", hint="Give an int.")
    tried = [(value, "the value") for value in scalar.values]
    if argument.has_default:
        tried.append((argument.default, "the default"))
    for value, what in tried:
        if not argument.takes(value):
            raise SpecError(f"{name!r}: {what} {value!r} is no {kind}", hint="Correct its type.")
        _check_bounds(name, scalar, value, what)
    if argument.type == "str" and argument.has_default and argument.default not in scalar.values:
        raise SpecError(
            f"{name!r}: the default {argument.default!r} is not among the values",
            hint="The values of a str are all that is allowed: add the default.",
        )


def _check_bounds(name: str, scalar: Scalar, value: object, what: str) -> None:
    if not isinstance(value, (int, float)):
        return
    # Written so that NaN is outside of every bound, as in the binding.
    if scalar.minimum is not None and not value >= scalar.minimum:
        raise SpecError(
            f"{name!r}: {what} {value!r} is below minimum={scalar.minimum!r}", hint="Correct one."
        )
    if scalar.maximum is not None and not value <= scalar.maximum:
        raise SpecError(
            f"{name!r}: {what} {value!r} is above maximum={scalar.maximum!r}", hint="Correct one."
        )
