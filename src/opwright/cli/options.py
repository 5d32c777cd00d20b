"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from opwright.spec.target import Target

Command = TypeVar("Command", bound=Callable[..., Any])


_SOURCE = "opwright.source"


def _target(context: click.Context, option: click.Parameter, value: str) -> Target:
    """The target that the text names; refused with the nearest spelling."""
    from opwright.errors import UsageError
    from opwright.spec.target import parse_target, with_source

    try:
        return with_source(parse_target(value), context.meta.get(_SOURCE))
    except UsageError as error:
        raise click.BadParameter(f"{error.what}. {error.hint}", context, option) from error


def _source(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Kept until the target is read."""
    del option
    context.meta[_SOURCE] = value


def operators_argument(function: Command) -> Command:
    """``OP...``: folders, files, ``file.py:name`` or installed names."""
    return click.argument("operators", metavar="OP...", nargs=-1, required=True)(function)


def target_option(function: Command) -> Command:
    """``--target``, and ``--source``, which becomes a part of it."""
    target = click.option(
        "--target",
        callback=_target,
        default="cpu",
        show_default=True,
        metavar="TARGET",
        help="Where it is to run: cpu, emulated, simulated, cuda:sm_90, hip:gfx942 ...",
    )
    source = click.option(
        "--source",
        is_eager=True,  # known when the target is read
        expose_value=False,
        callback=_source,
        metavar="KIND",
        help="Use the sources for this kind of target: hip, for HIP source on an NVIDIA GPU.",
    )
    return target(source(function))


def binding_option(function: Command) -> Command:
    """``--binding``."""
    return click.option(
        "--binding",
        type=click.Choice(["stable", "aten"]),
        help="How generated code talks to PyTorch. Default: stable where this torch has it.",
    )(function)


def verbosity_options(function: Command) -> Command:
    """``-q`` and ``-v``."""
    quiet = click.option("-q", "--quiet", is_flag=True, help="Say nothing on the way.")
    verbose = click.option("-v", "--verbose", is_flag=True, help="Say everything on the way.")
    return quiet(verbose(function))
