"""Axes of pictures: which scale fits some values, and what stands at its ticks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

from matplotlib.axes import Axes
from matplotlib.ticker import Formatter, LogLocator, MaxNLocator, NullLocator

_WIDE = 4.0  # from here on a ratio of values needs a logarithmic scale
_MARGIN = 0.06
_UNITS_US = (("s", 1e6), ("ms", 1e3), ("µs", 1.0))


def finite(values: Iterable[float]) -> list[float]:
    """Those that have a place on a scale."""
    return [value for value in values if math.isfinite(value)]


def fit(axes: Axes, which: Literal["x", "y"], values: Sequence[float], text: Ticks) -> None:
    """Give an axis the scale that shows ``values``: logarithmic where they lie far apart, else linear."""
    known = finite(values) or [1.0]
    low, high = min(known), max(known)
    axis = axes.xaxis if which == "x" else axes.yaxis
    place = axes.set_xlim if which == "x" else axes.set_ylim
    if low > 0 and high / low > _WIDE:
        (axes.set_xscale if which == "x" else axes.set_yscale)("log")
        margin = (high / low) ** _MARGIN
        place(low / margin, high * margin)
        many = math.log10(high / low) > 2.5
        axis.set_major_locator(LogLocator(subs=(1.0,) if many else (1.0, 3.0), numticks=6))
    else:
        margin = _MARGIN * (high - low) or 0.05 * abs(high) or 1.0
        place(low - margin, high + margin)
        axis.set_major_locator(MaxNLocator(4))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(text)
    axes.grid(visible=True, axis=which)
    axes.tick_params(axis=which, length=0)


class Ticks(Formatter):
    """Writes all ticks of an axis at once: as many digits as tell them apart."""

    def __init__(self, write: Callable[[float, int], str]) -> None:
        self._write = write

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - matplotlib's
        """One tick by itself."""
        return self.format_ticks([x])[0]

    def format_ticks(self, values: Any) -> list[str]:
        """All of them; digits beyond the first three only where two would read the same."""
        for digits in range(1, 9):
            texts = [self._write(float(value), digits) for value in values]
            exact = all(
                math.isclose(float(f"{value:.{digits}g}"), value, rel_tol=1e-9) for value in values
            )
            if exact and len(set(texts)) == len(texts):
                break
        return texts


def time_ticks() -> Ticks:
    """Of times in microseconds: ``300 µs``, ``1 ms``."""

    def write(time_us: float, digits: int) -> str:
        return next(
            (
                f"{_plain(time_us / scale, digits)} {unit}"
                for unit, scale in _UNITS_US
                if time_us >= scale
            ),
            f"{_plain(time_us, digits)} µs",
        )

    return Ticks(write)


def ratio_ticks() -> Ticks:
    """Of ratios: ``0.3×``."""
    return Ticks(lambda ratio, digits: f"{_plain(ratio, digits)}×")


def percent_ticks() -> Ticks:
    """Of fractions: ``40 %``."""
    return Ticks(lambda fraction, digits: f"{_plain(100 * fraction, digits)} %")


def count_ticks() -> Ticks:
    """Of numbers that may be large or small: ``300k``, ``10M``, ``0.03``."""

    def write(count: float, digits: int) -> str:
        for unit, scale in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
            if count >= scale:
                return f"{_plain(count / scale, digits)}{unit}"
        return _plain(count, digits)

    return Ticks(write)


def _plain(value: float, digits: int) -> str:
    """So many telling digits, never as a power of ten."""
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value)))) if value else 0
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
