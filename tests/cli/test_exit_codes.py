from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from opwright.cli.exit_codes import codes, table
from opwright.cli.main import main
from opwright.errors import FoundFault, OpwrightError

README = Path(__file__).parent.parent.parent / "README.md"


def test_every_class_of_error_and_every_other_ending_is_listed_once_by_code() -> None:
    listed = [code for code, _, _ in codes()]
    assert listed == sorted(set(listed))
    assert {0, 1, FoundFault.exit_code, 70, 130} <= set(listed)
    assert ["`OpwrightError`", OpwrightError.exit_code] in [
        [name, code] for code, name, _ in codes()
    ]


def test_every_code_has_a_meaning_that_fits_a_cell() -> None:
    for _, _, meaning in codes():
        assert meaning.endswith(".")
        assert "|" not in meaning
        assert "``" not in meaning


def test_the_command_prints_the_table() -> None:
    assert CliRunner().invoke(main, ["exit-codes"]).output == f"{table()}\n"


def test_the_readme_has_the_same_table() -> None:
    assert table() in README.read_text(encoding="utf-8")
