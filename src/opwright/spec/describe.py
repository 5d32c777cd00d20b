"""From what a user wrote to a checked `OperatorSpec`: every wrong field is refused here, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
    schema: object,
    *,
    location: Location,
    inputs: object,
    outputs: object,
    dtypes: object,
    reference: object,
    sources: object,
    extension: object,
    function: object,
    scalars: object,
    constraints: object,
    tolerance: object,
    namespace: object,
    include_dirs: object,
    compile_flags: object,
    reduction: object,
    backward: object,
    gradient_of: Callable[..., Any],
    autocast: object,
    vmap: object,
) -> OperatorSpec:
    """Check a description, field by field.

    ``gradient_of`` makes a backward's reference of the operator's. Raises `SpecError` with
    file, line and the field at fault.
    """
    with _field(location, "schema"):
        parsed = parse_schema(schema)
    check = _Fields(location, parsed)
    tensors = check("inputs", check_inputs, inputs)
    made = check("outputs", check_outputs, outputs, tensors)
    spec = OperatorSpec(
        schema=parsed,
        namespace=check("namespace", check_namespace, namespace),
        inputs=tensors,
        outputs=made,
        dtypes=check("dtypes", check_dtypes, dtypes, tensors, made),
        reference=check("reference", check_reference, reference),
        location=location,
        sources=check("sources", check_sources, sources),
        extension=check("extension", check_extension, extension),
        function=check("function", check_function, function),
        scalars=check("scalars", check_scalars, scalars),
        constraints=check("constraints", check_constraints, constraints),
        tolerance=check("tolerance", check_tolerance, tolerance),
        include_dirs=check("include_dirs", _words("include_dirs"), include_dirs),
        compile_flags=check("compile_flags", _words("compile_flags"), compile_flags),
        reduction=check("reduction", check_reduction, reduction),
    )
    _check_whole(check, spec)
    return _with_transforms(
        check, spec, backward=(backward, gradient_of), autocast=autocast, vmap=vmap
    )


def _with_transforms(
    check: _Fields,
    spec: OperatorSpec,
    *,
    backward: tuple[object, Callable[..., Any]],
    autocast: object,
    vmap: object,
) -> OperatorSpec:
    """What the operator says to autograd, autocast and vmap; many say nothing."""
    said, gradient_of = backward
    if said is autocast is vmap is None:
        return spec
    from opwright.spec.rules.backward import check_backward
    from opwright.spec.rules.transforms import check_autocast, check_vmap

    spec = replace(
        spec,
        autocast=check("autocast", check_autocast, autocast, spec),
        vmap=check("vmap", check_vmap, vmap, spec),
    )
    made = check("backward", check_backward, said, spec, gradient_of)
    return spec if made is None else replace(spec, backward=made)


def _check_whole(check: _Fields, spec: OperatorSpec) -> None:
    """What no field shows alone."""
    check("sources", one_implementation, spec)
    check("inputs", check_dims, spec)
    check("inputs", check_input_sizes, spec)
    check("outputs", check_output_sizes, spec)
    check("reduction", check_names, [spec.reduction] if spec.reduction else [], spec)
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
