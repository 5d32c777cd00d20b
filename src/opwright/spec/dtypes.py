"""The dtypes that a description can name, with their C++ spelling in kernels. Plain data."""

from __future__ import annotations

from collections.abc import Sequence

from opwright.errors import SpecError
from opwright.frozen import Frozen
from opwright.spec.naming import nearest


class Dtype(Frozen):
    """A dtype: its torch name, its type in kernel sources, and its family."""

    name: str
    cpp: str
    family: str  # "float", "integer", "bool", "complex"
    size_bytes: int


_ALL = (
    Dtype("float64", "double", "float", 8),
    Dtype("float32", "float", "float", 4),
    Dtype("bfloat16", "opwright::bfloat16", "float", 2),
    Dtype("float16", "opwright::float16", "float", 2),
    Dtype("int64", "int64_t", "integer", 8),
    Dtype("int32", "int32_t", "integer", 4),
    Dtype("int16", "int16_t", "integer", 2),
    Dtype("int8", "int8_t", "integer", 1),
    Dtype("uint8", "uint8_t", "integer", 1),
    Dtype("bool", "bool", "bool", 1),
    Dtype("complex64", "opwright::complex64", "complex", 8),
    Dtype("complex128", "opwright::complex128", "complex", 16),
)
DTYPES: dict[str, Dtype] = {dtype.name: dtype for dtype in _ALL}


def check_dtype(name: object) -> str:
    """The name itself when it is a known dtype; `SpecError` with the nearest one otherwise."""
    text = str(name).removeprefix("torch.")
    if text in DTYPES:
        return text
    raise SpecError(f"unknown dtype {name!r}", hint=nearest(text, DTYPES))


def check_dtype_set(names: Sequence[object], what: str) -> tuple[str, ...]:
    """The names of a set of dtypes; `SpecError` where it is empty or names one twice."""
    checked = tuple(check_dtype(name) for name in names)
    if not checked:
        raise SpecError(f"{what} is empty", hint='Name at least one dtype, such as ("float32",).')
    if len(set(checked)) != len(checked):
        raise SpecError(f"{what} names a dtype twice: {checked}", hint="Name each once.")
    return checked
