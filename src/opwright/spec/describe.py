"""From what a user wrote to a checked `OperatorSpec`: every wrong field is refused here, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from opwright.errors import SpecError
from opwright.frozen import replace
from opwright.spec.operator import Location, OperatorSpec
from opwright.spec.rules.implementations import (
    check_extension,
    check_function,
    check_namespace,
    check_reference,
    check_sources,
    check_words,
    one_implementation,
)
from opwright.spec.rules.scalars import check_scalars
from opwright.spec.rules.sizes import (
    check_constraints,
    check_dims,
    check_flops,
    check_flops_names,
    check_input_sizes,
    check_names,
    check_output_sizes,
    check_reduction,
    check_satisfiable,
)
from opwright.spec.rules.tensors import (
    check_dtypes,
    check_inputs,
    check_outputs,
    check_tolerance,
)
from opwright.spec.schema import Schema, parse_schema


def describe(
    schema: object, *, location: Location, gradient_of: Callable[..., Any], **fields: object
) -> OperatorSpec:
    """Check a description, field by field: ``fields`` are the keywords of `opwright.Operator`, all of them.

    ``gradient_of`` makes a backward's reference of the operator's. Raises `SpecError` with file, line
    and the field at fault.
    """
    with _field(location, "schema"):
        parsed = parse_schema(schema)
    check = _Fields(location, parsed)
    tensors = check("inputs", check_inputs, fields["inputs"])
    made = check("outputs", check_outputs, fields["outputs"], tensors)

    def checked(field: str, rule: Callable[..., Any], *more: Any) -> Any:
        return check(field, rule, fields[field], *more)

    spec = OperatorSpec(
        schema=parsed,
        namespace=checked("namespace", check_namespace),
        inputs=tensors,
        outputs=made,
        dtypes=checked("dtypes", check_dtypes, tensors, made),
        reference=checked("reference", check_reference),
        location=location,
        sources=checked("sources", check_sources),
        extension=checked("extension", check_extension),
        function=checked("function", check_function),
        scalars=checked("scalars", check_scalars),
        constraints=checked("constraints", check_constraints),
        tolerance=checked("tolerance", check_tolerance),
        include_dirs=checked("include_dirs", _words("include_dirs")),
        compile_flags=checked("compile_flags", _words("compile_flags")),
        reduction=checked("reduction", check_reduction),
        flops=checked("flops", check_flops),
    )
    _check_whole(check, spec)
    return _with_transforms(check, spec, fields, gradient_of)


def _with_transforms(
    check: _Fields,
    spec: OperatorSpec,
    fields: Mapping[str, object],
    gradient_of: Callable[..., Any],
) -> OperatorSpec:
    """What the operator says to autograd, autocast and vmap; many say nothing."""
    if fields["backward"] is fields["autocast"] is fields["vmap"] is None:
        return spec
    from opwright.spec.rules.backward import check_backward
    from opwright.spec.rules.transforms import check_autocast, check_vmap

    spec = replace(
        spec,
        autocast=check("autocast", check_autocast, fields["autocast"], spec),
        vmap=check("vmap", check_vmap, fields["vmap"], spec),
    )
    made: OperatorSpec = check("backward", check_backward, fields["backward"], spec, gradient_of)
    return made


def _check_whole(check: _Fields, spec: OperatorSpec) -> None:
    """What no field shows alone."""
    check("sources", one_implementation, spec)
    check("inputs", check_dims, spec)
    check("inputs", check_input_sizes, spec)
    check("outputs", check_output_sizes, spec)
    check("reduction", check_names, [spec.reduction] if spec.reduction else [], spec)
    check("flops", check_flops_names, spec)
    check("constraints", check_names, spec.constraints, spec)
    check("constraints", check_satisfiable, spec)


class _Fields:
    """Runs the rule of a field; what it refuses gets file, line and field."""

    def __init__(self, location: Location, schema: Schema) -> None:
        self.location = location
        self.schema = schema

    def __call__(self, field: str, rule: Callable[..., Any], *values: Any) -> Any:
        with _field(self.location, field):
            return rule(self.schema, *values)


@contextmanager
def _field(location: Location, field: str) -> Iterator[None]:
    try:
        yield
    except SpecError as error:
        what = error.what.removeprefix(f"{field}: ")
        raise SpecError(f"{location}: field {field!r}: {what}", hint=error.hint) from error


def _words(field: str) -> Callable[[Schema, object], tuple[str, ...]]:
    return lambda _schema, words: check_words(field, words)
