"""A place that cannot be written is refused before the work, and is where it was when the work is done."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from opwright.cli.record_file import json_option, require_writable
from opwright.errors import RecordError


def test_a_folder_that_is_not_there_is_named_with_the_option(tmp_path: Path) -> None:
    require_writable(tmp_path / "record.json")
    with pytest.raises(RecordError, match="gone is not a folder that you can write to") as error:
        require_writable(tmp_path / "gone" / "page.html", "--html")
    assert error.value.hint.endswith("or name another file for --html.")


def test_the_place_is_whole_before_a_description_changes_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @click.command
    @json_option
    def command(json_file: Path | None) -> None:
        click.echo(str(json_file))

    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke(command, ["--json", "record.json"])
    assert run.output == f"{tmp_path / 'record.json'}\n"
    assert CliRunner().invoke(command, []).output == "None\n"
    assert CliRunner().invoke(command, ["--json", str(tmp_path)]).exit_code == 2
