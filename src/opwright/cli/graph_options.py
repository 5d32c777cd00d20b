"""What `opwright graph` can be asked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opwright.cli.options import Amount, Command
from opwright.cli.record_file import made_folder

if TYPE_CHECKING:
    from opwright.session.graph_asked import GraphAsked
    from opwright.spec.shape_file import Listed

_MOST_RUNS = 1000
_LONGEST_SECONDS = 86_400.0  # a day


def _tolerance(
    context: click.Context, option: click.Parameter, value: str | None
) -> tuple[float, float] | None:
    """``ATOL,RTOL`` as two numbers."""
    from opwright.errors import SpecError
    from opwright.spec.tolerance import Tolerance

    if value is None:
        return None
    words = value.split(",")
    try:
        if "_" in value:
            raise ValueError("Python's separator of digits")
        absolute, relative = map(float, words)
        Tolerance(atol=absolute, rtol=relative)
    except (ValueError, SpecError) as error:
        raise click.BadParameter(
            f"{value!r} is not two numbers of at least 0, as in 1e-5,1e-3.", context, option
        ) from error
    return absolute, relative


def what_options(function: Command) -> Command:
    """``--mode``, ``--alone``, ``--full-cores``, ``--join`` and ``--repeat``."""
    mode = click.option(
        "--mode",
        "modes",
        multiple=True,
        required=True,
        metavar="MODE",
        help="cudagraph, compile, compile:BACKEND (inductor, aot_eager, cudagraphs), superkernel, or "
        "superkernel:WAY (npugraph_ex, ge; then :OPTION=VALUE); may be repeated.",
    )
    alone = click.option(
        "--alone", is_flag=True, help="The operator alone: not in series, and with no companions."
    )
    join = click.option(
        "--join",
        multiple=True,
        metavar="COMPANION",
        help="elementwise, matmul, reduction or quantisation; may be repeated. Default: all of them.",
    )
    repeat = click.option(
        "--repeat",
        type=click.IntRange(min=2, max=_MOST_RUNS),
        default=3,
        show_default=True,
        help="Runs of each graph, each with other data.",
    )
    full_cores = click.option(
        "--full-cores",
        is_flag=True,
        help="superkernel: series and companions at full cores, too; the operator alone is tried so anyway.",
    )
    return mode(alone(full_cores(join(repeat(function)))))


def size_options(function: Command) -> Command:
    """``--shapes`` and ``--dtype``."""
    shapes = click.option(
        "--shapes",
        callback=_shapes,
        metavar="typical|FILE",
        help="Sizes: the description's typical ones, or a JSON file with a list of them, or one for each operator. "
        "Default: a middling call.",
    )
    dtypes = click.option(
        "--dtype", "dtypes", multiple=True, help="A dtype; may be repeated. Default: the first."
    )
    return shapes(dtypes(function))


def _shapes(
    context: click.Context, option: click.Parameter, value: str | None
) -> Listed | str | None:
    """What the option names; `TYPICAL` stays a word. Raises `UsageError`."""
    del context, option
    from opwright.spec.shape_file import TYPICAL, read_shapes

    return value if value in (None, TYPICAL) else read_shapes(Path(value))


def how_options(function: Command) -> Command:
    """``--exact``, ``--tolerance``, ``--limit`` and ``--emit``."""
    exact = click.option("--exact", is_flag=True, help="Compare bit for bit. That is the default.")
    tolerance = click.option(
        "--tolerance",
        callback=_tolerance,
        metavar="ATOL,RTOL",
        help="Let results differ by ATOL + RTOL * |result without a graph|.",
    )
    limit = click.option(
        "--limit",
        "seconds",
        type=Amount(min=1.0, max=_LONGEST_SECONDS),
        default=120.0,
        show_default=True,
        metavar="SECONDS",
        help="The longest that one trial may take; one that takes longer hangs.",
    )
    emit = click.option(
        "--emit",
        type=click.Path(file_okay=False, path_type=Path),
        metavar="DIR",
        help="Write a Python script for each operator and mode, which needs PyTorch alone.",
    )
    return exact(tolerance(limit(emit(function))))


def asked_from(chosen: dict[str, Any]) -> GraphAsked:
    """What the options and the target ask for. Imports torch; raises `UsageError` and `RecordError`."""
    from opwright.errors import UsageError
    from opwright.session.graph_asked import GraphAsked

    if chosen.pop("exact") and chosen["tolerance"] is not None:
        raise UsageError("--exact and --tolerance exclude each other", hint="Give one of them.")
    chosen["modes"] = tuple(dict.fromkeys(chosen["modes"]))
    asked = GraphAsked(**chosen)
    return asked if asked.emit is None else replace(asked, emit=made_folder(asked.emit, "--emit"))
