"""Opwright takes a custom PyTorch operator from source to evidence.

Importing this module is cheap: torch comes in with the first operator that is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from opwright.loading import load
    from opwright.operator import Operator
    from opwright.spec.backward import Backward
    from opwright.spec.dims import Dim, Shape
    from opwright.spec.operator import Extension
    from opwright.spec.tensor import Scalar, Tensor
    from opwright.spec.tolerance import Tolerance

_HOMES = {
    "Backward": "opwright.spec.backward",
    "Dim": "opwright.spec.dims",
    "Extension": "opwright.spec.operator",
    "Operator": "opwright.operator",
    "Scalar": "opwright.spec.tensor",
    "Shape": "opwright.spec.dims",
    "Tensor": "opwright.spec.tensor",
    "Tolerance": "opwright.spec.tolerance",
    "load": "opwright.loading",
}

__all__ = [
    "Backward",
    "Dim",
    "Extension",
    "Operator",
    "Scalar",
    "Shape",
    "Tensor",
    "Tolerance",
    "load",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'opwright' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
