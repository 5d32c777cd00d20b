"""``opwright build``: find or build an operator's library, and say which, why and where."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from opwright.cli.options import (
    binding_option,
    operators_argument,
    target_option,
    verbosity_options,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from opwright.session.build_run import Built
    from opwright.spec.target import Target


@click.command("build")
@operators_argument
@target_option
@binding_option
@click.option(
    "--compile-only",
    is_flag=True,
    help="Compile the kernels for target hip alone, without torch for it: what they take is shown.",
)
@click.option("--why", is_flag=True, help="Name the field that made a build necessary.")
@click.option("--force", is_flag=True, help="Build even what is in the store.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@verbosity_options
def command(
    *,
    operators: tuple[str, ...],
    target: Target,
    binding: str | None,
    compile_only: bool,
    why: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Build operators, or find them in the store.

    OP is a folder with an op.py, a Python file, file.py:name, or an installed operator's name.
    Says hit or miss, the key, the seconds and where the library is. One that does not build is reported,
    and the next one taken; the command then ends with the code of the first such error.
    """
    from opwright.cli.loglines import log_lines
    from opwright.session.build_run import build_operators

    with log_lines(quiet=quiet or as_json, verbose=verbose):
        asked = build_operators(
            operators, target, binding=binding, compile_only=compile_only, force=force
        )
        code = _tell(asked, target, why=why, as_json=as_json)
    if code:
        raise click.exceptions.Exit(code)


def _tell(asked: Iterable[Built], target: Target, *, why: bool, as_json: bool) -> int:
    """Print what comes of each operator as it comes; returns the code of the first error, 0 for none."""
    from opwright.cli.failure import show_error

    done: list[dict[str, Any]] = []
    codes: list[int] = []
    for built in asked:
        if as_json:
            done.append(_plain(built, target))
        if built.error is not None:
            codes.append(show_error(built.error))
        elif not as_json:
            _show(built, why=why)
    if as_json:
        click.echo(json.dumps({"version": 1, "kind": "build", "operators": done}, indent=1))
    return codes[0] if codes else 0


def _show(built: Built, *, why: bool) -> None:
    from opwright.cli.terminal import output
    from opwright.report.built import built_report, nothing_to_build

    artifact = built.artifact
    shown = built_report(artifact, why=why) if artifact else nothing_to_build(built.spec.name)
    output().print(shown, soft_wrap=True)
    if built.kernels:
        from rich.padding import Padding

        from opwright.report.resources import resources_table

        output().print(Padding(resources_table(built.kernels), (0, 0, 0, 2), expand=False))


def _plain(built: Built, target: Target) -> dict[str, Any]:
    from opwright.records.artifact import artifact_to_json
    from opwright.records.resources import resources_to_json

    plain = artifact_to_json(built.artifact) if built.artifact else None
    return {
        "name": built.spec.name,
        "target": str(target),
        "changed": built.artifact.changed if built.artifact else "",
        "label": built.artifact.facts.get("label") if built.artifact else None,
        "artifact": plain,
        "kernels": [resources_to_json(kernel) for kernel in built.kernels],
        "error": str(built.error) if built.error is not None else "",
    }
