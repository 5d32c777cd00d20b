from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from opwright.cli.options import target_option


@click.command()
@target_option
def command(*, target: object) -> None:
    click.echo(repr(target))


@pytest.mark.parametrize(
    "arguments, shown",
    [
        ([], "Target(kind='cpu', architecture=None, source=None)"),
        (["--target", "cuda:sm_90"], "sm_90"),
    ],
)
def test_a_target_is_read_whole(arguments: list[str], shown: str) -> None:
    assert shown in CliRunner().invoke(command, arguments).output


def test_an_unknown_target_is_a_usage_error_with_the_nearest_one() -> None:
    result = CliRunner().invoke(command, ["--target", "cud"])
    assert result.exit_code == 2
    assert "'--target'" in result.output
    assert "Did you mean 'cuda'?" in result.output
