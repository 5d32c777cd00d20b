"""A measurement as one page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from opwright.records.measurement import Measurement, OperatorMeasurement, Row
from opwright.report.facts import FactTable, fact_name, fact_table, fact_text
from opwright.report.figures import count_text
from opwright.report.labels import HARDWARE, compares, label_meaning
from opwright.report.measured import spread_text, time_text
from opwright.report.pictures.drawing import for_a_page, inline_svg, new_figure
from opwright.report.pictures.marks import Picture
from opwright.report.pictures.operator_pictures import pictures_of

_FOLDER = "page_parts"
_PICTURE_INCHES = 4.5


@dataclass(frozen=True)
class Drawn:
    """A picture, and the ``<svg>`` element that shows it."""

    picture: Picture
    svg: Markup


@dataclass(frozen=True)
class Shown:
    """An operator beside its pictures; without ``compared`` its ratios are left out."""

    operator: OperatorMeasurement
    compared: bool
    pictures: tuple[Drawn, ...]


def measurement_page(measurement: Measurement) -> str:
    """The page's HTML. Every number is there as the record has it, in an attribute (``data-median-us``)."""
    shown = [
        Shown(operator, compares(operator), _drawn(operator, place))
        for place, operator in enumerate(measurement.operators)
    ]
    labels = dict.fromkeys(
        operator.label for operator in measurement.operators if operator.label != HARDWARE
    )
    return (
        _environment()
        .get_template("page.html")
        .render(
            measurement=measurement,
            shown=shown,
            labels={label: label_meaning(label) for label in labels},
            style=Markup(_part("page.css")),  # noqa: S704 - our own file
        )
    )


def _environment() -> Environment:
    """Whatever a record holds is text: it is escaped unless it was made right here."""
    environment = Environment(
        loader=FunctionLoader(_part),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        time=time_text,
        breakable=_breakable,
        fact_name=fact_name,
        fact_text=fact_text,
        median=statistics.median,
        stops=_stops,
    )
    environment.globals.update(
        count=count_text,
        spread=spread_text,
        doubts=_doubts,
        row_facts_of=_row_facts,
        state_facts_of=_state_facts,
    )
    return environment


def _part(name: str) -> str:
    return (files("opwright.report") / _FOLDER / name).read_text(encoding="utf-8")


def _drawn(operator: OperatorMeasurement, place: int) -> tuple[Drawn, ...]:
    drawn: list[Drawn] = []
    with for_a_page():
        for number, picture in enumerate(pictures_of(operator)):
            figure = new_figure(_PICTURE_INCHES, picture.height_inches)
            picture.draw(figure.add_subplot())
            svg = inline_svg(figure, f"o{place}p{number}", picture.told)
            drawn.append(Drawn(picture, Markup(svg)))  # noqa: S704 - serialized XML
    return tuple(drawn)


def _breakable(text: str) -> Markup:
    """A name that may go on in the next line after each comma."""
    return Markup(",<wbr>").join(escape(part) for part in text.split(","))


def _stops(row: Row) -> str:
    """Why each process stopped: ``narrow enough``, or ``time limit in 2 of 5``."""
    counts = Counter(each.stopped for each in row.series)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{why} in {count} of {len(row.series)}" for why, count in counts.items())


def _doubts(rows: Sequence[Row]) -> dict[str, list[str]]:
    """Each sentence that speaks against samples once, with the rows that it is said of."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for why in row.unreliable:
            found.setdefault(why, []).append(f"{row.subject} on {row.case}")
    return found


def _row_facts(rows: Sequence[Row], group: str) -> FactTable:
    """What the rows have in ``group``: ``roofline``, ``memory_bytes`` or ``device``."""
    return fact_table([getattr(row, group) for row in rows])


def _state_facts(facts: dict[str, Any]) -> tuple[list[str], FactTable]:
    """States side by side where there are some (before, after); what stands beside them comes first."""
    states = {name: state for name, state in facts.items() if isinstance(state, dict)}
    plain = {name: fact for name, fact in facts.items() if name not in states}
    named = {**({"": plain} if plain else {}), **states}
    return list(named), fact_table(list(named.values()))
