"""What an operator says of one of its tensors, and of one of its scalars."""

from __future__ import annotations

import math
from typing import Any

from opwright.errors import SpecError
from opwright.frozen import Frozen
from opwright.spec.dims import Shape, Size, as_size
from opwright.spec.dtypes import check_dtype, check_dtype_set

LAYOUTS = {
    "contiguous": "the kernel gets dense rows; anything else is refused",
    "copy": "the kernel gets dense rows; the binding copies anything else first",
    "strided": "the kernel gets whatever strides come, and reads them",
}


class Tensor(Frozen):
    """A tensor argument or output: ``Tensor(rows, hidden)``.

    ``dtype`` is None for the operator's own dtype, a name for a fixed one, a tuple of names for a set
    of its own (a second template parameter), or ``"like:ARGUMENT"``. ``layout`` is one of `LAYOUTS`.
    ``range`` gives the lowest and highest value that the operator is meant for.
    """

    sizes: tuple[Size | Shape, ...]
    dtype: str | tuple[str, ...] | None
    layout: str
    range: tuple[float, float] | None

    def __init__(
        self,
        *sizes: object,
        dtype: str | tuple[str, ...] | None = None,
        layout: str = "contiguous",
        range: tuple[float, float] | None = None,
    ) -> None:
        checked = tuple(as_size(size) for size in sizes)
        if sum(isinstance(size, Shape) for size in checked) > 1:
            raise SpecError(
                f"Tensor({', '.join(map(str, checked))}) has more than one Shape",
                hint="Sizes could not be told apart: keep one Shape and name the rest as Dims.",
            )
        if layout not in LAYOUTS:
            raise SpecError(
                f"field 'layout' is {layout!r}",
                hint="Layouts are: " + "; ".join(f"{k!r}, {v}" for k, v in LAYOUTS.items()) + ".",
            )
        object.__setattr__(self, "sizes", checked)
        object.__setattr__(self, "dtype", _check_dtypes(dtype))
        object.__setattr__(self, "layout", layout)
        object.__setattr__(self, "range", _check_range(range))

    @property
    def shape(self) -> Shape | None:
        """The `Shape` among the sizes, if there is one."""
        return next((size for size in self.sizes if isinstance(size, Shape)), None)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.sizes))})"


class Scalar(Frozen):
    """Values to try for a scalar argument. For ``str`` they are all that is allowed.

    ``minimum`` and ``maximum`` bound ``int`` and ``float`` arguments; the binding refuses what lies outside.
    """

    values: tuple[Any, ...]
    minimum: float | None
    maximum: float | None

    def __init__(
        self, *values: Any, minimum: float | None = None, maximum: float | None = None
    ) -> None:
        if not values:
            raise SpecError("Scalar() has no values", hint="Give at least one value to try.")
        for name, bound in (("minimum", minimum), ("maximum", maximum)):
            if bound is not None and not _is_number(bound):
                raise SpecError(f"field {name!r} is {bound!r}", hint="Give a finite number.")
        if minimum is not None and maximum is not None and minimum > maximum:
            raise SpecError(
                f"field 'minimum' is {minimum}, more than 'maximum', {maximum}", hint="Swap them."
            )
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "minimum", minimum)
        object.__setattr__(self, "maximum", maximum)


def _check_dtypes(dtype: object) -> str | tuple[str, ...] | None:
    if dtype is None:
        return None
    if isinstance(dtype, (tuple, list)):
        return check_dtype_set(dtype, "field 'dtype'")
    if isinstance(dtype, str) and dtype.startswith("like:"):
        return dtype
    return check_dtype(dtype)


def _check_range(value: object) -> tuple[float, float] | None:
    if value is None:
        return None
    if isinstance(value, (tuple, list)) and len(value) == 2 and all(map(_is_number, value)):
        lowest, highest = value
        if lowest <= highest:
            return (float(lowest), float(highest))
    raise SpecError(
        f"field 'range' is {value!r}", hint="Give (lowest, highest), such as (-4.0, 4.0)."
    )


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
