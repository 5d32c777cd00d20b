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
    from opwright.records.artifact import Artifact
    from opwright.spec.operator import OperatorSpec
    from opwright.spec.target import Target


@click.command("build")
@operators_argument
@target_option
@binding_option
@click.option("--why", is_flag=True, help="Name the field that made a build necessary.")
@click.option("--force", is_flag=True, help="Build even what is in the store.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@verbosity_options
def command(
    *,
    operators: tuple[str, ...],
    target: Target,
    binding: str | None,
    why: bool,
    force: bool,
    as_json: bool,
    quiet: bool,
    verbose: bool,
) -> None:
    """Build operators, or find them in the store.

    OP is a folder with an op.py, a Python file, file.py:name, or an installed operator's name.
    Says hit or miss, the key, the seconds and where the library is.
    """
    from opwright.cli.loglines import log_lines
    from opwright.discovery import find

    done: list[dict[str, Any]] = []
    with log_lines(quiet=quiet or as_json, verbose=verbose):
        specs = [described.spec for text in operators for described in find(text)]
        for spec in specs:
            artifact, field = _build(spec, target, binding, force=force, why=why or as_json)
            if as_json:
                done.append(_plain(spec, target, artifact, field))
            else:
                _show(spec, artifact, why=why)
    if as_json:
        click.echo(json.dumps({"version": 1, "kind": "build", "operators": done}, indent=1))


def _build(
    spec: OperatorSpec, target: Target, binding: str | None, *, force: bool, why: bool
) -> tuple[Artifact | None, str]:
    """The library, and the name of the field or file that made a build necessary."""
    from opwright.build import explain
    from opwright.session.building import build_operator, request_for

    field = ""
    if why and (request := request_for(spec, target, binding=binding)) is not None:
        field = explain(request).field
    return build_operator(spec, target, binding=binding, force=force), field


def _show(spec: OperatorSpec, artifact: Artifact | None, *, why: bool) -> None:
    from opwright.cli.terminal import output
    from opwright.report.built import built_report, nothing_to_build

    shown = built_report(artifact, why=why) if artifact else nothing_to_build(spec.name)
    output().print(shown, soft_wrap=True)


def _plain(
    spec: OperatorSpec, target: Target, artifact: Artifact | None, field: str
) -> dict[str, Any]:
    from opwright.records.artifact import artifact_to_json

    plain = artifact_to_json(artifact) if artifact else None
    return {"name": spec.name, "target": str(target), "changed": field, "artifact": plain}
