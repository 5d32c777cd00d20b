"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from opwright.spec.shape_file import Listed
    from opwright.spec.target import Target

Command = TypeVar("Command", bound=Callable[..., Any])


_SOURCE = "opwright.source"


class Amount(click.FloatRange):
    """A number in a range: NaN is in none, though no comparison says so."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The number, refused where it is none."""
        number = super().convert(value, param, ctx)
        if number != number:  # noqa: PLR0124
            self.fail(f"{value!r} is no number.", param, ctx)
        return number


def _target(context: click.Context, option: click.Parameter, value: str) -> Target:
    """The target that the text names; refused with the nearest spelling."""
    from opwright.errors import UsageError
    from opwright.spec.target import parse_target, with_source

    try:
        target = parse_target(value)
    except UsageError as error:
        hint = _in_lower_case(value) or error.hint
        raise click.BadParameter(f"{error.what}. {hint}", context, option) from error
    try:
        return with_source(target, context.meta.get(_SOURCE))
    except UsageError as error:
        told = f"{error.what}. {error.hint}"
        raise click.BadParameter(told, context, param_hint="'--source'") from error


def _source(context: click.Context, option: click.Parameter, value: str | None) -> None:
    """Kept until the target is read; refused with the nearest spelling."""
    context.meta[_SOURCE] = value
    if value is None:
        return
    from opwright.spec.target import ARCHITECTURES

    if value not in ARCHITECTURES:
        hint = _in_lower_case(value) or _kinds_like(value)
        raise click.BadParameter(f"no sources are called {value!r}. {hint}", context, option)


def _in_lower_case(text: str) -> str:
    """``Did you mean 'cuda:sm_90'?`` for ``CUDA:SM_90``; empty where that would not help."""
    from opwright.errors import UsageError
    from opwright.spec.target import parse_target

    try:
        parse_target(text.lower())
    except UsageError:
        return ""
    return f"Did you mean {text.lower()!r}?" if text != text.lower() else ""


def _kinds_like(text: str) -> str:
    """The kind that is nearly called so (``rocm`` is HIP), and all there are."""
    from opwright.errors import UsageError
    from opwright.spec.target import ARCHITECTURES, parse_target

    try:
        parse_target(text)
    except UsageError as error:
        return error.hint
    return f"Sources are named after kinds of target: {', '.join(ARCHITECTURES)}."


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


def _shapes(context: click.Context, option: click.Parameter, value: str) -> Listed | None:
    """None for the typical ones, else what the file lists."""
    from opwright.errors import UsageError
    from opwright.spec.shape_file import TYPICAL, read_shapes

    if value == TYPICAL:
        return None
    try:
        return read_shapes(Path(value))
    except UsageError as error:
        raise click.BadParameter(f"{error.what}. {error.hint}", context, option) from error


def shapes_option(function: Command) -> Command:
    """``--shapes``: a list of sizes, None for the typical ones."""
    return click.option(
        "--shapes",
        callback=_shapes,
        default="typical",
        show_default=True,
        metavar="typical|FILE",
        help="Sizes: the description's typical ones, or a JSON file with a list of them, or one for each operator.",
    )(function)


def _fraction(context: click.Context, option: click.Parameter, value: float) -> float:
    del context, option
    return value / 100


def bound_option(function: Command) -> Command:
    """``--bound``, a fraction where the user gives percent."""
    return click.option(
        "--bound",
        type=Amount(min=0.0, max=100.0),
        callback=_fraction,
        default=1.0,
        show_default=True,
        metavar="PERCENT",
        help="The difference in time that counts as none.",
    )(function)
