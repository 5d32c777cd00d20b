"""Pictures without a screen: one style for all, as SVG inside of a page or as a file of its own."""

from __future__ import annotations

import io
import re
import warnings
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

PICTURE_SUFFIXES = (".png", ".svg")
_DOTS_PER_INCH = 160  # of PNG, and of what a picture with very many samples holds as an image
_MOST_DOTS = 60_000  # along a side; the library that writes PNG takes no more
_SALT = "opwright"  # the same record gives the same file
_LONG_NUMBER = re.compile(r"(-?\d+\.\d\d)\d+")


@dataclass(frozen=True)
class _Palette:
    ink: str
    muted: str
    grid: str
    ground: str


_ON_WHITE = _Palette("#1c2126", "#5b6570", "#d9dee3", "#ffffff")
# Colours that nothing else has: a page puts its own in their place, which follow the reader's scheme.
_IN_A_PAGE = _Palette("#010203", "#010204", "#010205", "#010206")
_OF_THE_PAGE = {
    _IN_A_PAGE.ink: "var(--ink)",
    _IN_A_PAGE.muted: "var(--muted)",
    _IN_A_PAGE.grid: "var(--line)",
    _IN_A_PAGE.ground: "var(--ground)",
}


@contextmanager
def for_a_page() -> Iterator[None]:
    """Pictures that are drawn inside the block are for `inline_svg`: text stays text."""
    with _styled(_IN_A_PAGE, {"svg.fonttype": "none"}):
        yield


@contextmanager
def for_a_file() -> Iterator[None]:
    """Pictures that are drawn inside the block are for `picture_file`: they look the same everywhere."""
    with _styled(_ON_WHITE, {"svg.fonttype": "path"}):
        yield


@contextmanager
def _styled(palette: _Palette, further: Any) -> Iterator[None]:
    style: Any = {
        "font.size": 10,
        "text.parse_math": False,  # names are text, dollars too
        "text.color": palette.ink,
        "axes.labelcolor": palette.muted,
        "axes.axisbelow": True,
        "axes.edgecolor": palette.grid,
        "axes.facecolor": "none",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.titlesize": 11,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.labelsize": 9,
        "figure.facecolor": palette.ground,
        "grid.color": palette.grid,
        "grid.linewidth": 0.7,
        "xtick.color": palette.grid,
        "ytick.color": palette.grid,
        "xtick.labelcolor": palette.muted,
        "ytick.labelcolor": palette.muted,
        "xtick.labelsize": 9,
        "ytick.labelsize": 9,
        "legend.frameon": False,
        "legend.fontsize": 9,
        "legend.labelcolor": palette.ink,
        "svg.hashsalt": _SALT,
    }
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()  # whatever the user has set for pictures of their own
        mpl.rcParams.update({**style, **further})
        # A sign that the font lacks becomes a box, here; the page has the reader's fonts.
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def new_figure(width_inches: float, height_inches: float) -> Figure:
    """A figure whose parts make room for each other."""
    return Figure(figsize=(width_inches, height_inches), layout="constrained")


def picture_file(figure: Figure, suffix: str) -> bytes:
    """The content of a file that ends in one of `PICTURE_SUFFIXES`."""
    kind = suffix.lstrip(".").lower()
    no_date = {"Date": None} if kind == "svg" else None
    buffer = io.BytesIO()
    dots_per_inch = min(_DOTS_PER_INCH, _MOST_DOTS / figure.get_figheight())
    figure.savefig(buffer, format=kind, dpi=dots_per_inch, metadata=no_date)
    return buffer.getvalue()


def inline_svg(figure: Figure, name: str, told: str) -> str:
    """An ``<svg>`` element to stand in a page: named for those who do not see it, in the page's colours.

    ``name`` tells its inner references from those of the page's other pictures.
    """
    figure.patch.set_visible(False)
    root = ET.fromstring(picture_file(figure, "svg"))  # noqa: S314 - it was written right here
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        plain = {key.rpartition("}")[2]: value for key, value in element.attrib.items()}
        element.attrib = {key: _in_page(key, value, name) for key, value in plain.items()}
    for key in ("width", "height", "version"):
        root.attrib.pop(key, None)
    root.attrib.update({"role": "img", "aria-label": told})
    return ET.tostring(root, encoding="unicode")


def _in_page(key: str, value: str, name: str) -> str:
    if key == "id":
        return f"{name}-{value}"
    if key == "href":
        return f"#{name}-{value[1:]}" if value.startswith("#") else value
    value = value.replace("url(#", f"url(#{name}-")
    for drawn, shown in _OF_THE_PAGE.items():
        value = value.replace(drawn, shown)
    return _LONG_NUMBER.sub(r"\1", value)
