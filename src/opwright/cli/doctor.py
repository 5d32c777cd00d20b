"""``opwright doctor``: what this machine can build and run, and why not the rest."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from rich.console import Console

    from opwright.doctor.finding import Diagnosis

_STYLES = {"ok": "green", "missing": "dim", "problem": "red", "not checked": "yellow"}
_ANSWERS = {"yes": "green", "no": "red", "not checked": "yellow"}


@click.command("doctor")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as one JSON document.")
@click.option("--quick", is_flag=True, help="Neither import torch nor compile anything.")
def command(*, as_json: bool, quick: bool) -> None:
    """Say what this machine can build and run, and why not the rest.

    Ends with 0 when operators for the cpu target can be built and run here.
    """
    from opwright.doctor.examination import examine
    from opwright.doctor.machine import Machine
    from opwright.errors import ToolchainError

    diagnosis = examine(Machine.here(), quick=quick)
    if as_json:
        click.echo(json.dumps(diagnosis.as_json(), indent=1))
    else:
        from opwright.cli.terminal import output

        print_diagnosis(output(), diagnosis)
    actions = (diagnosis.ability("cpu", "build"), diagnosis.ability("cpu", "run"))
    if any(ability.answer == "no" for ability in actions):
        raise click.exceptions.Exit(ToolchainError.exit_code)


def print_diagnosis(console: Console, diagnosis: Diagnosis) -> None:
    """The abilities first, then every finding, and below it what to do about it."""
    from rich.table import Table
    from rich.text import Text

    targets = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("target", "build", "run", "because"):
        targets.add_column(title, overflow="fold")
    for build, run in zip(diagnosis.abilities[::2], diagnosis.abilities[1::2], strict=True):
        answers = [Text(each.answer, style=_ANSWERS[each.answer]) for each in (build, run)]
        because = dict.fromkeys((*build.because, *run.because))
        targets.add_row(build.target, *answers, Text("\n".join(because)))
    console.print(targets)
    console.print()
    findings = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("looked at", "status", "found"):
        findings.add_column(title, overflow="fold", no_wrap=title == "status")
    for finding in diagnosis.findings:
        text = Text(finding.what)
        if finding.fix:
            text.append(f"\n-> {finding.fix}", style="italic")
        status = Text(finding.status, style=_STYLES[finding.status])
        findings.add_row(Text(finding.subject), status, text)
    console.print(findings)
