"""What `opwright bench` can be asked: what is timed, and how."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from opwright.cli.options import Amount, Command, bound_option, shapes_option

if TYPE_CHECKING:
    from opwright.session.bench_asked import BenchAsked

_TIMERS = ("host", "issue", "events", "profiler", "graph")


def what_options(function: Command) -> Command:
    """``--against``, ``--shapes``, ``--dtype``, ``--gradients`` and ``--no-backwards``."""
    against = click.option(
        "--against",
        multiple=True,
        default=("reference",),
        show_default=True,
        metavar="WHAT",
        help="reference, compile[:MODE] (torch.compile of it), another operator, or call:FILE.py, the function of "
        "the operator's name there; may be repeated.",
    )
    gradients = click.option(
        "--gradients", is_flag=True, help="Time forward and backward together, as in training."
    )
    dtypes = click.option(
        "--dtype", "dtypes", multiple=True, help="A dtype; may be repeated. Default: the first."
    )
    backwards = click.option(
        "--backwards/--no-backwards",
        default=True,
        show_default=True,
        help="Time the operators that compute gradients, too.",
    )
    return against(shapes_option(dtypes(gradients(backwards(function)))))


def how_options(function: Command) -> Command:
    """``--timer``, ``--cache``, ``--processes``, ``--seconds``, ``--bound``, ``--stages`` and ``--share``."""
    timer = click.option(
        "--timer",
        type=click.Choice(_TIMERS),
        help="What is timed. Default: events on a device, host on a CPU.",
    )
    cache = click.option(
        "--cache",
        type=click.Choice(["cold", "rotating", "warm"]),
        default="cold",
        show_default=True,
        help="The last-level cache before each call: flushed, cold because tensors rotate, or warm.",
    )
    processes = click.option(
        "--processes", type=click.IntRange(min=1), default=5, show_default=True
    )
    seconds = click.option(
        "--seconds",
        type=Amount(min=0.01, max=86_400.0),
        default=1.0,
        show_default=True,
        help="The longest that a row is sampled in each process.",
    )
    stages = click.option(
        "--stages",
        is_flag=True,
        help="Time a program's start instead: cold build, store hit, first call, hot calls.",
    )
    share = click.option(
        "--share",
        "share_percent",
        type=Amount(min=0.0, max=100.0),
        metavar="PERCENT",
        help="The reference's share of a model's time: says what the whole model can gain.",
    )
    return timer(cache(processes(seconds(bound_option(stages(share(function)))))))


def baseline_option(function: Command) -> Command:
    """``--baseline``."""
    return click.option(
        "--baseline",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        metavar="FILE",
        help="Compare with an earlier measurement; ends with 6 where an operator has become slower.",
    )(function)


def asked_from(chosen: dict[str, Any]) -> BenchAsked:
    """What the options of both groups, target and binding ask for. Imports torch; raises `UsageError`."""
    from opwright.measure.stopping import Limits
    from opwright.session.bench_asked import BenchAsked

    limits = Limits(seconds=chosen.pop("seconds"))
    timer = chosen.pop("timer") or ""
    return BenchAsked(**chosen, timer=timer, limits=limits)
