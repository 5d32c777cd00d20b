"""Fields that say what computes the answer: reference, sources, extension, function, namespace."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from opwright.errors import SpecError
from opwright.spec.naming import check_name, require_known
from opwright.spec.operator import DEFAULT_NAMESPACE, Extension, OperatorSpec
from opwright.spec.schema import Schema
from opwright.spec.target import ARCHITECTURES

_TORCH_NAMESPACES = ("aten", "prim", "prims", "c10d", "quantized", "inductor", "higher_order")


def check_namespace(schema: Schema, namespace: object) -> str:
    """The dispatcher's namespace: the one given, else the schema's, else ours."""
    if namespace is not None and schema.namespace not in (None, namespace):
        raise SpecError(
            f"is {namespace!r}, and the schema says {schema.namespace!r}", hint="Keep one."
        )
    chosen = check_name(namespace or schema.namespace or DEFAULT_NAMESPACE, "namespace")
    if chosen in _TORCH_NAMESPACES:
        raise SpecError(
            f"{chosen!r} is PyTorch's own", hint="Use a name of yours, or leave it out."
        )
    return chosen


def check_reference(schema: Schema, reference: object) -> Callable[..., Any]:
    """A function of the schema's arguments."""
    if not callable(reference):
        raise SpecError(
            f"is {reference!r}, which cannot be called",
            hint="Give a function of the schema's arguments that computes the right answer with PyTorch.",
        )
    _check_parameters(schema, reference)
    return reference


def check_function(schema: Schema, function: object) -> Callable[..., Any] | None:
    """None, or a function of the schema's arguments."""
    if function is None:
        return None
    if not callable(function):
        raise SpecError(f"is {function!r}, which cannot be called", hint="Give a Python function.")
    _check_parameters(schema, function)
    return function


def check_extension(schema: Schema, extension: object) -> Extension | None:
    """None, or an `Extension` whose ``call`` takes the module and the schema's arguments."""
    if extension is None:
        return None
    if not isinstance(extension, Extension):
        raise SpecError(f"is {extension!r}", hint="Give Extension(sources=[...], call=...).")
    _check_parameters(schema, extension.call, first=("module",))
    return extension


def check_sources(schema: Schema, sources: object) -> dict[str, tuple[str, ...]]:
    """File names by kind of target."""
    if sources is None:
        return {}
    if not isinstance(sources, Mapping):
        raise SpecError(f"is {sources!r}", hint='Give {"cpu": "kernel.cpp", "cuda": "kernel.cu"}.')
    require_known(sources, ARCHITECTURES, "target")
    return {kind: _files(kind, files) for kind, files in sources.items()}


def one_implementation(schema: Schema, spec: OperatorSpec) -> None:
    """Kernel files, an extension or a function; and what goes with files alone."""
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


def check_words(field: str, words: object) -> tuple[str, ...]:
    """A tuple of texts, such as folders or flags."""
    if isinstance(words, str) or not isinstance(words, Sequence):
        raise SpecError(f"{field} is {words!r}", hint=f"Give a list of texts: {field}=[...].")
    for word in words:
        if not isinstance(word, str) or not word:
            raise SpecError(f"{field} holds {word!r}", hint="Give non-empty texts.")
    return tuple(words)


def _files(kind: str, files: object) -> tuple[str, ...]:
    listed = (files,) if isinstance(files, str) else files
    if not isinstance(listed, Sequence) or not listed or not all(map(_is_file_name, listed)):
        raise SpecError(
            f"{kind!r} is {files!r}", hint="Give a file name, or a tuple of file names."
        )
    for name in listed:
        if listed.count(name) > 1:
            raise SpecError(f"{kind!r} names {name!r} twice", hint="Name each file once.")
    return tuple(listed)


def _is_file_name(name: object) -> bool:
    return isinstance(name, str) and bool(name) and not set(name) & set('"\\\n')


def _check_parameters(
    schema: Schema, function: Callable[..., Any], first: tuple[str, ...] = ()
) -> None:
    """A function that cannot take the schema's arguments is refused before anything calls it."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # a builtin that does not say what it takes
    positional, keywords = schema.as_call({a.name: None for a in schema.arguments})
    try:
        signature.bind(*first, *positional, **keywords)
    except TypeError as error:
        names = [*first, *(a.name for a in schema.arguments)]
        raise SpecError(
            f"takes {signature}, but is called with ({', '.join(names)}): {error}",
            hint="Let it take the schema's arguments, in their order.",
        ) from error
