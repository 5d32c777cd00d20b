"""From what a user wrote to a checked `OperatorSpec`: every wrong field is refused here, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opwright.errors import SpecError
from opwright.spec.dtypes import check_dtype
from opwright.spec.operator import Location, OperatorSpec
from opwright.spec.rules.implementations import (
    check_extension,
    check_function,
    check_namespace,
    check_reference,
    check_sources,
    check_words,
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
from opwright.spec.rules.tensors import check_dtypes, check_inputs, check_outputs
from opwright.spec.schema import Schema, parse_schema

if TYPE_CHECKING:
    from opwright.spec.tolerance import Tolerance


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
) -> OperatorSpec:
    """Check a description, field by field. Raises `SpecError` with file, line and the field at fault."""
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
        tolerance=check("tolerance", _tolerance, tolerance),
        include_dirs=check("include_dirs", _words("include_dirs"), include_dirs),
        compile_flags=check("compile_flags", _words("compile_flags"), compile_flags),
        reduction=check("reduction", check_reduction, reduction),
    )
    _check_whole(check, spec)
    return spec


def _check_whole(check: _Fields, spec: OperatorSpec) -> None:
    """What no field shows alone."""
    check("sources", _one_implementation, spec)
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


def _tolerance(schema: Schema, tolerance: object) -> dict[str, Tolerance]:
    if tolerance is None:
        return {}
    from opwright.spec.tolerance import Tolerance  # most descriptions need none

    if isinstance(tolerance, Tolerance):
        return {"*": tolerance}
    if isinstance(tolerance, Mapping):
        values = {check_dtype(name): value for name, value in tolerance.items()}
        if all(isinstance(value, Tolerance) for value in values.values()):
            return values
    raise SpecError(f"is {tolerance!r}", hint='Give a Tolerance, or {"float32": Tolerance(...)}.')


def _one_implementation(schema: Schema, spec: OperatorSpec) -> None:
    fields = ("sources", "extension", "function")
    given = [name for name in fields if getattr(spec, name) not in (None, {})]
    if len(given) != 1:
        raise SpecError(
            f"{' and '.join(given) + ' are' if given else 'no implementation is'} given",
            hint="Give exactly one of sources= (kernel files), extension= (an existing extension) "
            "and function= (a Python callable).",
        )
    for name in ("include_dirs", "compile_flags"):
        if getattr(spec, name) and not spec.sources:
            raise SpecError(
                f"{name}= goes with sources=, and {given[0]}= is given",
                hint="An Extension has fields of these names of its own; a function needs none.",
            )
