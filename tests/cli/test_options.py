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


@pytest.mark.parametrize(
    "arguments, blamed, told",
    [
        (["--target", "CUDA"], "--target", "Did you mean 'cuda'?"),
        (["--target", "CUDA:SM_90"], "--target", "Did you mean 'cuda:sm_90'?"),
        (["--target", "GPU"], "--target", "Did you mean 'cuda'?"),
        (["--target", "cuda", "--source", "HIP"], "--source", "Did you mean 'hip'?"),
        (["--target", "cuda", "--source", "hipp"], "--source", "Did you mean 'hip'?"),
        (["--target", "cuda", "--source", "rocm"], "--source", "Did you mean 'hip'?"),
        (["--target", "cuda", "--source", "cuda:sm_90"], "--source", "named after kinds"),
        (["--target", "cuda", "--source", "cpu"], "--source", "hip on cuda"),
    ],
)
def test_what_is_nearly_right_is_refused_by_its_option_with_the_nearest_value(
    arguments: list[str], blamed: str, told: str
) -> None:
    result = CliRunner().invoke(command, arguments)
    assert result.exit_code == 2
    assert f"Invalid value for '{blamed}'" in result.output
    assert told in result.output
