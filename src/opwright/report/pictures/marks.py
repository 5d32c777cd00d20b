"""What all pictures share: what a picture is, its colours, and the line of text above a lane."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes

from opwright.records.measurement import Row

# Told apart with any kind of sight, and seen on white as well as on black.
COLOURS = ("#2f7fd6", "#d9730d", "#1f9d6b", "#a063d6", "#c2558a", "#8a7a1f")
_TITLE_SIGNS = 53


@dataclass(frozen=True)
class Picture:
    """One picture: what stands above it, what it says in words, how high it is, and how it is drawn."""

    kind: str
    title: str
    told: str
    height_inches: float
    draw: Callable[[Axes], None]


def subjects_of(rows: Sequence[Row]) -> list[str]:
    """Each once, in the order in which they come: the place gives the colour."""
    return list(dict.fromkeys(row.subject for row in rows))


def colour_of(place: int) -> str:
    """The colour of the subject that comes at this place; they begin again where there are very many."""
    return COLOURS[place % len(COLOURS)]


def lane_title(axes: Axes, top: float, title: str, value: str, at: float = 0.2) -> None:
    """A line of text above a lane: its name to the left, its figure to the right."""
    place: Any = {"transform": axes.get_yaxis_transform(), "va": "baseline"}
    # Lines of the scale end behind the words.
    place["bbox"] = {"facecolor": mpl.rcParams["figure.facecolor"], "linewidth": 0, "pad": 0.8}
    axes.text(0, top + at, shortened(title, _TITLE_SIGNS - len(value)), **place)
    axes.text(1, top + at, value, ha="right", fontweight="bold", **place)


def shortened(text: str, signs: int) -> str:
    """On one line, and cut in the middle where it is longer than ``signs``."""
    line = "".join(sign if sign.isprintable() else "?" for sign in text)
    half = (signs - 1) // 2
    return line if len(line) <= signs else f"{line[:half]}…{line[-half:]}"
