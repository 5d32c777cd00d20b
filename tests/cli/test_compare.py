from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from made_measurement import made_measurement, made_operator, made_row
from opwright.cli.main import main
from opwright.errors import NotEvidence, RecordError, Regression, UsageError
from opwright.records.measurement import Measurement, Series, write_measurement

ENVIRONMENT = dict.fromkeys(("machine", "cpu", "cpus", "python", "torch", "threads"), "same")


def measured(factor: float, name: str = "gelu") -> Measurement:
    """One row of five processes whose samples hardly scatter."""
    series = tuple(
        Series(n, tuple(1000 * factor * (1 + 1e-4 * (k % 7 + n)) for k in range(40)), 0, "")
        for n in range(5)
    )
    operator = made_operator(name, rows=(made_row(series=series),), ratios=())
    return made_measurement(operator, environment=ENVIRONMENT)


def compare(folder: Path, before: Measurement, after: Measurement, *arguments: str) -> Result:
    files = [folder / "before.json", folder / "after.json"]
    for file, measurement in zip(files, (before, after), strict=True):
        write_measurement(measurement, file)
    return CliRunner().invoke(main, ["compare", *map(str, files), *arguments])


@pytest.mark.parametrize(
    ("factor", "verdict", "code"),
    [(1.1, "slower", Regression.exit_code), (0.9, "faster", 0), (1.0, "same", 0)],
)
def test_the_second_file_is_what_has_become_of_the_first(
    factor: float, verdict: str, code: int, tmp_path: Path
) -> None:
    result = compare(tmp_path, measured(1.0), measured(factor))
    assert result.exit_code == code
    assert f"{factor:.3f} x" in result.stdout
    assert verdict in result.stdout
    assert ("error: slower than before by more than 1 %" in result.stderr) == (code == 6)


def test_a_bound_in_percent_is_what_counts_as_none(tmp_path: Path) -> None:
    assert compare(tmp_path, measured(1.0), measured(1.1), "--bound", "15").exit_code == 0
    assert compare(tmp_path, measured(1.0), measured(1.1), "--bound", "5").exit_code == 6


def test_verbose_says_why_each_verdict_is_what_it_is(tmp_path: Path) -> None:
    assert "confidence" not in compare(tmp_path, measured(1.0), measured(0.9)).stdout
    assert "confidence" in compare(tmp_path, measured(1.0), measured(0.9), "-v").stdout


def test_what_differs_beside_the_operator_is_no_regression_and_no_pass(tmp_path: Path) -> None:
    other = replace(measured(9.0), environment={**ENVIRONMENT, "torch": "other"})
    result = compare(tmp_path, measured(1.0), other)
    assert result.exit_code == NotEvidence.exit_code == 4
    assert "not comparable: torch: same before, other after" in " ".join(result.stdout.split())


def test_measurements_of_other_operators_are_refused(tmp_path: Path) -> None:
    result = compare(tmp_path, measured(1.0), measured(1.0, "swish"))
    assert result.exit_code == RecordError.exit_code == 50
    assert "no operator in common: gelu before, swish after" in result.stderr


@pytest.mark.parametrize("text", ["", "{", "[]", '{"kind": "timing", "version": 1}'])
def test_another_file_is_refused_by_name(text: str, tmp_path: Path) -> None:
    write_measurement(measured(1.0), tmp_path / "one.json")
    (tmp_path / "other.json").write_text(text)
    files = [str(tmp_path / name) for name in ("one.json", "other.json")]
    for order in (files, files[::-1]):
        result = CliRunner().invoke(main, ["compare", *order])
        assert result.exit_code == RecordError.exit_code
        assert "other.json is" in result.stderr


def test_a_file_that_is_not_there_is_a_mistake_on_the_command_line() -> None:
    result = CliRunner().invoke(main, ["compare", "/nowhere/a.json", "/nowhere/b.json"])
    assert result.exit_code == UsageError.exit_code
