"""A measurement as one page that needs nothing else: no network, no script, no other file."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup

from opwright.records.measurement import Measurement, OperatorMeasurement, Row
from opwright.report.facts import fact_name, fact_text, flat_facts
from opwright.report.figures import count_text
from opwright.report.labels import HARDWARE, compares, label_meaning
from opwright.report.measured import spread_text, time_text
from opwright.report.pictures.drawing import for_a_page, inline_svg, new_figure
from opwright.report.pictures.marks import Picture
from opwright.report.pictures.operator_pictures import pictures_of

_FOLDER = "page_parts"
_PICTURE_INCHES = 4.8


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
        fact_name=fact_name,
        fact_text=fact_text,
        flat=flat_facts,
        median=statistics.median,
        stops=_stops,
    )
    environment.globals.update(
        count=count_text, spread=spread_text, columns=_columns, state_columns=_state_columns
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


def _stops(row: Row) -> str:
    """Why each process stopped: ``narrow enough``, or ``time limit in 2 of 5``."""
    counts = Counter(each.stopped for each in row.series)
    if len(counts) == 1:
        return next(iter(counts))
    return ", ".join(f"{why} in {count} of {len(row.series)}" for why, count in counts.items())


def _columns(rows: Sequence[Row], group: str) -> list[str]:
    """The names of all facts that some row has in ``group`` (``roofline``, ``memory_bytes``, ``device``)."""
    return list(dict.fromkeys(name for row in rows for name in flat_facts(getattr(row, group))))


def _state_columns(facts: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """States side by side where there are some (before, after); what stands beside them comes first."""
    states = {name: flat_facts(state) for name, state in facts.items() if isinstance(state, dict)}
    plain = flat_facts({name: fact for name, fact in facts.items() if name not in states})
    return {**({"": plain} if plain else {}), **states}
