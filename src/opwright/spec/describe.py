"""From what a user wrote to a checked `OperatorSpec`: every wrong field is refused here, by name."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from opwright.errors import SpecError
from opwright.spec.dims import Dim, Shape
from opwright.spec.dtypes import check_dtype
from opwright.spec.expression import Expression
from opwright.spec.operator import DEFAULT_NAMESPACE, Extension, Location, OperatorSpec
from opwright.spec.schema import Schema, parse_schema
from opwright.spec.target import ARCHITECTURES
from opwright.spec.tensor import Scalar, Tensor
from opwright.spec.tolerance import Tolerance


def describe(
    schema: str,
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
    constraints: Sequence[str],
    tolerance: object,
    namespace: str | None,
    include_dirs: Sequence[str],
    compile_flags: Sequence[str],
    reduction: object,
) -> OperatorSpec:
    """Check a description, field by field. Raises `SpecError` with file, line and the field at fault."""
    with _field(location, "schema"):
        parsed = parse_schema(schema)
    where = _Where(location, parsed)
    tensors = where.check("inputs", _inputs, inputs)
    spec = OperatorSpec(
        schema=parsed,
        namespace=where.check("namespace", _namespace, namespace),
        inputs=tensors,
        outputs=where.check("outputs", _outputs, outputs, tensors),
        dtypes=where.check("dtypes", _dtypes, dtypes),
        reference=where.check("reference", _reference, reference),
        location=location,
        sources=where.check("sources", _sources, sources),
        extension=where.check("extension", _extension, extension),
        function=where.check("function", _function, function),
        scalars=where.check("scalars", _scalars, scalars),
        constraints=where.check("constraints", _constraints, constraints),
        tolerance=where.check("tolerance", _tolerance, tolerance),
        include_dirs=tuple(include_dirs),
        compile_flags=tuple(compile_flags),
        reduction=where.check("reduction", _reduction, reduction),
    )
    where.check("sources", _one_implementation, spec)
    where.check("inputs", _names, spec)
    return spec


@contextmanager
def _field(location: Location, field: str) -> Iterator[None]:
    try:
        yield
    except SpecError as error:
        raise SpecError(f"{location}: field {field!r}: {error.what}", hint=error.hint) from error


class _Where:
    """Where a description stands and what its schema is, for messages."""

    def __init__(self, location: Location, schema: Schema) -> None:
        self.location = location
        self.schema = schema

    def check(self, field: str, rule: Callable[..., Any], *values: Any) -> Any:
        with _field(self.location, field):
            return rule(self.schema, *values)


def _inputs(schema: Schema, inputs: object) -> dict[str, Tensor]:
    if not isinstance(inputs, Mapping):
        raise SpecError(f"is {inputs!r}", hint='Give {"argument": Tensor(...)} for each tensor argument.')
    wanted = [argument.name for argument in schema.tensors]
    _same_names(wanted, list(inputs), "tensor argument")
    for name, tensor in inputs.items():
        if not isinstance(tensor, Tensor):
            raise SpecError(f"{name!r} is {tensor!r}, not a Tensor", hint="Write Tensor(rows, hidden).")
        if isinstance(tensor.dtype, str) and tensor.dtype.startswith("like:"):
            raise SpecError(f"{name!r} has dtype {tensor.dtype!r}", hint="'like:' is for outputs.")
        if schema.argument(name).mutated and tensor.layout == "copy":
            raise SpecError(
                f"{name!r} is written to and has layout 'copy'",
                hint="A copy would swallow what is written: use 'contiguous' or 'strided'.",
            )
    return {name: inputs[name] for name in wanted}


def _outputs(schema: Schema, outputs: object, inputs: Mapping[str, Tensor]) -> tuple[Tensor, ...]:
    fresh = schema.fresh_returns
    if outputs is None:
        if not fresh:
            return ()
        if not inputs:
            raise SpecError("is missing, and there is no tensor argument to take sizes from",
                            hint="Give outputs=(Tensor(...),).")  # fmt: skip
        first = next(iter(inputs.values()))
        like = f"like:{next(iter(inputs))}" if first.dtype is not None else None
        return tuple(Tensor(*first.sizes, dtype=like) for _ in fresh)
    listed = (outputs,) if isinstance(outputs, Tensor) else outputs
    if isinstance(listed, Mapping):
        _same_names([item.name for item in fresh], list(listed), "output")
        listed = tuple(listed[item.name] for item in fresh)
    if not isinstance(listed, Sequence) or not all(isinstance(item, Tensor) for item in listed):
        raise SpecError(f"is {outputs!r}", hint="Give one Tensor(...) for each fresh return, in order.")
    if len(listed) != len(fresh):
        raise SpecError(
            f"describes {len(listed)} outputs, the schema returns {len(fresh)} fresh tensors",
            hint="Returned Tensor(a!) are the argument itself and are not described.",
        )
    for item in listed:
        if isinstance(item.dtype, tuple):
            raise SpecError("an output has a set of dtypes", hint="Use one dtype, or 'like:ARGUMENT'.")
        if isinstance(item.dtype, str) and item.dtype.startswith("like:"):
            _same_names([item.dtype.removeprefix("like:")], [], "argument", known=list(inputs))
    return tuple(listed)


def _dtypes(schema: Schema, dtypes: object) -> tuple[str, ...]:
    listed = (dtypes,) if isinstance(dtypes, str) else dtypes
    if not isinstance(listed, Sequence) or not listed:
        raise SpecError(f"is {dtypes!r}", hint='Name at least one dtype, such as ("float32",).')
    names = tuple(check_dtype(name) for name in listed)
    if len(set(names)) != len(names):
        raise SpecError(f"names a dtype twice: {names}", hint="Name each once.")
    return names


def _reference(schema: Schema, reference: object) -> Callable[..., Any]:
    if not callable(reference):
        raise SpecError(
            f"is {reference!r}, which cannot be called",
            hint="Give a function of the schema's arguments that computes the right answer with PyTorch.",
        )
    return reference


def _sources(schema: Schema, sources: object) -> dict[str, tuple[str, ...]]:
    if sources is None:
        return {}
    if not isinstance(sources, Mapping):
        raise SpecError(f"is {sources!r}", hint='Give {"cpu": "kernel.cpp", "cuda": "kernel.cu"}.')
    checked: dict[str, tuple[str, ...]] = {}
    for kind, files in sources.items():
        if kind not in ARCHITECTURES:
            _same_names([str(kind)], [], "target", known=list(ARCHITECTURES))
        listed = (files,) if isinstance(files, str) else files
        if not isinstance(listed, Sequence) or not listed or not all(isinstance(f, str) for f in listed):
            raise SpecError(f"{kind!r} is {files!r}", hint="Give a file name, or a tuple of file names.")
        checked[kind] = tuple(listed)
    return checked


def _extension(schema: Schema, extension: object) -> Extension | None:
    if extension is not None and not isinstance(extension, Extension):
        raise SpecError(f"is {extension!r}", hint="Give Extension(sources=[...], call=...).")
    return extension


def _function(schema: Schema, function: object) -> Callable[..., Any] | None:
    if function is not None and not callable(function):
        raise SpecError(f"is {function!r}, which cannot be called", hint="Give a Python function.")
    return function


def _scalars(schema: Schema, scalars: object) -> dict[str, Scalar]:
    if scalars is None:
        scalars = {}
    if not isinstance(scalars, Mapping):
        raise SpecError(f"is {scalars!r}", hint='Give {"eps": Scalar(1e-5, 1e-3)}.')
    known = [argument.name for argument in schema.scalars]
    checked = {}
    for name, value in scalars.items():
        _same_names([name], [], "scalar argument", known=known)
        checked[name] = value if isinstance(value, Scalar) else Scalar(*value)
    for argument in schema.scalars:
        if argument.name not in checked and not argument.has_default:
            raise SpecError(
                f"argument {argument.name!r} has no default and no values to try",
                hint=f'Add scalars={{"{argument.name}": Scalar(...)}}.',
            )
    return checked


def _constraints(schema: Schema, constraints: object) -> tuple[Expression, ...]:
    listed = (constraints,) if isinstance(constraints, str) else constraints
    assert isinstance(listed, Sequence)
    checked = tuple(item if isinstance(item, Expression) else Expression(item) for item in listed)
    for item in checked:
        if not item.is_condition:
            raise SpecError(f"{item} is not a comparison", hint="Write one such as 'k <= experts'.")
    return checked


def _reduction(schema: Schema, reduction: object) -> Expression | None:
    if reduction is None or isinstance(reduction, Expression):
        return reduction
    if isinstance(reduction, (str, int, Dim)) and not isinstance(reduction, bool):
        return Expression(str(reduction))
    raise SpecError(f"is {reduction!r}", hint="Give the number of terms: a Dim, or text such as 'rows * 2'.")


def _tolerance(schema: Schema, tolerance: object) -> dict[str, Tolerance]:
    if tolerance is None:
        return {}
    if isinstance(tolerance, Tolerance):
        return {"*": tolerance}
    if not isinstance(tolerance, Mapping) or not all(isinstance(t, Tolerance) for t in tolerance.values()):
        raise SpecError(f"is {tolerance!r}", hint='Give a Tolerance, or {"float32": Tolerance(...)}.')
    return {check_dtype(name): value for name, value in tolerance.items()}


def _namespace(schema: Schema, namespace: str | None) -> str:
    chosen = namespace or schema.namespace or DEFAULT_NAMESPACE
    if not chosen.isidentifier():
        raise SpecError(f"{chosen!r} is not an identifier", hint="Use a plain name such as 'my_ops'.")
    return chosen


def _one_implementation(schema: Schema, spec: OperatorSpec) -> None:
    given = [
        name for name in ("sources", "extension", "function") if getattr(spec, name) not in (None, {})
    ]
    if len(given) != 1:
        raise SpecError(
            f"{' and '.join(given) or 'no implementation'} given",
            hint="Give exactly one of sources= (kernel files), extension= (an existing extension) "
            "and function= (a Python callable).",
        )


def _names(schema: Schema, spec: OperatorSpec) -> None:
    """Every name in sizes and constraints has to be a dim of an input or an int argument."""
    known = [name for name, dim in spec.dims.items() if isinstance(dim, Dim)]
    known += [a.name for a in schema.scalars if a.type == "int" and not a.optional]
    shapes = [name for name, dim in spec.dims.items() if isinstance(dim, Shape)]
    described = [("inputs", t) for t in spec.inputs.values()] + [("outputs", t) for t in spec.outputs]
    for field, tensor in described:
        for size in tensor.sizes:
            if isinstance(size, Expression):
                _same_names(list(size.names), [], f"dim (in {field}, size {size})", known=known)
            elif isinstance(size, (Dim, Shape)) and size.name not in [*known, *shapes]:
                _same_names([size.name], [], f"dim of an input (in {field})", known=[*known, *shapes])
    if spec.reduction is not None:
        _same_names(list(spec.reduction.names), [], "dim (in reduction)", known=known)
    for constraint in spec.constraints:
        _same_names(list(constraint.names), [], f"dim (in {constraint})", known=known)
    clashes = set(spec.dims) & {a.name for a in schema.arguments}
    if clashes:
        raise SpecError(
            f"{sorted(clashes)[0]!r} names a dim and an argument",
            hint="Rename the dim: the two would mean different things in sizes and in kernels.",
        )


def _same_names(
    wanted: list[str], given: list[str], what: str, known: list[str] | None = None
) -> None:
    """Refuse names that are missing or unknown, with the nearest known one."""
    unknown = [n for n in wanted if n not in known] if known is not None else [n for n in given if n not in wanted]
    candidates = known if known is not None else wanted
    if unknown:
        near = difflib.get_close_matches(str(unknown[0]), candidates, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known are: {', '.join(candidates) or 'none'}."
        raise SpecError(f"{unknown[0]!r} is not a {what}", hint=hint)
    if known is None:
        missing = [n for n in wanted if n not in given]
        if missing:
            raise SpecError(f"{what} {missing[0]!r} is not described", hint="Add it.")
