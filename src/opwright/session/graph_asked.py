"""What a run of graph modes is asked for, and which trials that makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from opwright.checks.planning.choices import case_name, dtype_choices, scalar_choices
from opwright.errors import UsageError
from opwright.graph.arrangement import ALONE, JOINED, SERIES, Arrangement
from opwright.graph.companions import COMPANIONS
from opwright.graph.differences import Allowed
from opwright.graph.modes import parse_mode
from opwright.session.bench_cases import bench_cases
from opwright.spec.case import Case
from opwright.spec.naming import did_you_mean
from opwright.spec.operator import OperatorSpec
from opwright.spec.sampling import large_size_sets, largest, roomy_size_sets
from opwright.spec.shape_file import Listed
from opwright.spec.target import Target

_NAME = "graph"
_CANDIDATES = 200
_MIDDLING_ELEMENTS = 4096
_LARGEST_ELEMENTS = 1 << 22


@dataclass(frozen=True)
class GraphAsked:
    """What is run. ``modes`` as `opwright.graph.modes.parse_mode` reads them; no ``join`` means every companion.

    ``shapes`` are sizes that are listed, or ``"typical"`` for the description's; None for one middling call.
    ``full_cores`` asks for series and companions at full cores, too. ``hows`` are the ways in which graphs are
    made and run, all for none. ``tolerance`` is absolute and
    relative, None for bit for bit. ``seconds`` is the longest that one trial may take. Raises `UsageError` for
    unknown names, and for what excludes each other.
    """

    target: Target
    modes: tuple[str, ...]
    alone: bool = False
    repeat: int = 3
    join: tuple[str, ...] = ()
    full_cores: bool = False
    shapes: Listed | str | None = None
    dtypes: tuple[str, ...] = ()
    hows: tuple[str, ...] = ()
    tolerance: tuple[float, float] | None = None
    seconds: float = 120.0
    emit: Path | None = None

    def __post_init__(self) -> None:
        """Refuse what makes no sense before anything is built."""
        modes = [parse_mode(mode)[0] for mode in self.modes]
        if self.alone and self.join:
            raise UsageError("--alone joins no companions", hint="Leave out --alone, or --join.")
        if self.full_cores and not any(mode.full_cores for mode in modes):
            raise UsageError(
                "--full-cores is for --mode superkernel: no other mode chooses how many cores run",
                hint="Leave out --full-cores.",
            )
        known = [companion.name for companion in COMPANIONS]
        for name in self.join:
            if name not in known:
                raise UsageError(
                    f"no companion is called {name!r}",
                    hint=f"{did_you_mean(name, known)}Companions are: {', '.join(known)}.",
                )

    @property
    def allowed(self) -> Allowed:
        """How far results may be apart."""
        return Allowed(self.tolerance)

    def arrangements(self) -> tuple[Arrangement, ...]:
        """Those that are tried besides the operator alone."""
        if self.alone:
            return ()
        joined = [one for one in JOINED if not self.join or one.companion in self.join]
        return (*SERIES, *joined)


class Planned(NamedTuple):
    """One trial to be made: an item for the worker, without what is the same for all of them.

    ``case`` is the name of the call that it is about; no ``cases``: it cannot be made.
    """

    case: str
    mode: str
    arrangement: str
    how: str
    cases: tuple[Case, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain data for the worker."""
        return {**self._asdict(), "cases": [case.to_json() for case in self.cases]}


def planned(spec: OperatorSpec, mode: str, asked: GraphAsked) -> Iterator[Planned]:
    """Every trial of an operator in a mode, case by case: alone in every way, then the other arrangements.

    Those are in the first way, and where that is asked for at full cores. Raises `UsageError`.
    """
    kind, option = parse_mode(mode)
    possible = kind.hows[:1] if option in kind.one_size else kind.hows
    hows = [how for how in possible if how in (asked.hows or possible)]
    joined = [*hows[:1], *(how for how in (kind.full_cores,) if asked.full_cores and how in hows)]
    for case in graph_cases(spec, asked):
        trials = [(ALONE, how) for how in hows]
        trials += [(each, how) for each in asked.arrangements() for how in joined]
        for arrangement, how in trials:
            cases = kind.cases(spec, case, how, asked.repeat)
            yield Planned(case.name, mode, arrangement.name, how, cases)


def graph_cases(spec: OperatorSpec, asked: GraphAsked) -> list[Case]:
    """The calls that are put into graphs: one, unless sizes or dtypes are named. Raises `UsageError`."""
    if asked.shapes is not None:
        listed = None if isinstance(asked.shapes, str) else asked.shapes
        cases = bench_cases(spec, listed, asked.dtypes)
        return [replace(case, check=_NAME) for case in cases]
    first = first_case(spec)
    if not asked.dtypes:
        return [first]
    named = {case.name: case.dtypes for case in bench_cases(spec, None, asked.dtypes)}
    dtypes = {tuple(each.items()): each for each in named.values()}.values()
    return [
        replace(first, name=case_name(first.sizes, each, first.scalars), dtypes=each)
        for each in dtypes
    ]


def first_case(spec: OperatorSpec) -> Case:
    """A middling call in the first dtype: small enough to be run often, and larger than one block of threads.

    Raises `UsageError` where no sizes are declared.
    """
    scalars, dtypes = scalar_choices(spec)[0], dtype_choices(spec)[0]
    found = roomy_size_sets(spec, scalars, count=_CANDIDATES)
    # A static graph is for the sizes of its model: an operator may have no small ones.
    found = found or large_size_sets(spec, scalars, count=1, max_elements=_LARGEST_ELEMENTS)
    if not found:
        raise UsageError(
            f"{spec.name} declares no sizes with elements that meet its constraints",
            hint="Declare a size that is not empty.",
        )
    middling = [sizes for sizes in found if largest(spec, sizes, scalars) <= _MIDDLING_ELEMENTS]
    sizes = (middling or found[:1])[-1]
    return Case(_NAME, case_name(sizes, dtypes, scalars), dtypes, sizes, scalars)
