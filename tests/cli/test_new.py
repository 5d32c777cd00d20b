from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from opwright.cli import new
from opwright.cli.main import main
from opwright.discovery import find_one
from opwright.errors import UsageError


def run_new(name: str, folder: Path) -> Result:
    return CliRunner().invoke(main, ["new", name, "--dir", str(folder)])


def test_it_writes_a_description_and_two_kernels_and_says_what_is_next(tmp_path: Path) -> None:
    result = run_new("fused_add", tmp_path)
    assert result.exit_code == 0, result.output
    made = tmp_path / "fused_add"
    assert {path.name for path in made.iterdir()} == {"op.py", "fused_add.cpp", "fused_add.cu"}
    assert f"opwright check {made}" in result.output
    assert "reference" in result.output


def test_nothing_of_the_templates_own_name_is_left(tmp_path: Path) -> None:
    run_new("fused_add", tmp_path)
    for path in (tmp_path / "fused_add").iterdir():
        assert new.TEMPLATE not in path.read_text()
        assert "fused_add" in path.read_text()


def test_no_line_of_a_kernel_hangs_on_the_length_of_the_name(tmp_path: Path) -> None:
    for name in ("f", "a_much_longer_name"):
        run_new(name, tmp_path)
        for path in (tmp_path / name).glob("*.c*"):
            text = path.read_text()
            hanging = [f"{name}(op", f"{name}_kernel(op"]
            assert not any(word in text for word in hanging), path


def test_what_it_writes_is_an_operator_of_that_name(tmp_path: Path) -> None:
    run_new("fused_add", tmp_path)
    spec = find_one(str(tmp_path / "fused_add")).spec
    assert spec.name == "fused_add"
    assert all((spec.folder / name).is_file() for names in spec.sources.values() for name in names)


def test_the_folder_is_as_open_as_others(tmp_path: Path) -> None:
    run_new("fused_add", tmp_path)
    (tmp_path / "other").mkdir()
    assert (tmp_path / "fused_add").stat().st_mode == (tmp_path / "other").stat().st_mode


@pytest.mark.parametrize(
    "name, told",
    [
        ("3x", "not an identifier"),
        ("", "not an identifier"),
        ("naïve", "not an identifier"),
        ("../up", "not an identifier"),
        ("class", "a word of Python"),
        ("template", "a word of C++"),
        ("a__b", "'a_b' would do"),
        ("my-op", "'my_op' would do"),
        ("main", "'my_main'"),
    ],
)
def test_a_name_that_python_or_cpp_could_not_use_is_refused(
    name: str, told: str, tmp_path: Path
) -> None:
    result = run_new(name, tmp_path)
    assert result.exit_code == UsageError.exit_code
    assert told in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_an_upper_case_name_is_taken_with_a_word_on_it(tmp_path: Path) -> None:
    result = run_new("FusedAdd", tmp_path)
    assert result.exit_code == 0
    assert "fusedadd would be more usual" in result.output


@pytest.mark.parametrize("kind", ["folder", "file", "dangling link"])
def test_what_exists_is_left_alone(kind: str, tmp_path: Path) -> None:
    there = tmp_path / "mine"
    if kind == "folder":
        there.mkdir()
    elif kind == "file":
        there.write_text("keep me")
    else:
        there.symlink_to(tmp_path / "nowhere")
    result = run_new("mine", tmp_path)
    assert result.exit_code == UsageError.exit_code
    assert f"{there} exists already" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    result = run_new("mine", tmp_path / "missing")
    assert result.exit_code == UsageError.exit_code
    assert "missing is not a folder" in result.stderr


def test_a_place_that_cannot_be_written_is_refused() -> None:
    result = run_new("mine", Path("/proc"))  # not even root can make a folder there
    assert result.exit_code == UsageError.exit_code
    assert "/proc/mine cannot be made" in result.stderr


def test_what_breaks_off_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []

    def full_disk(path: Path, text: str, **_: Any) -> None:
        written.append(path.name)
        if len(written) == 2:
            raise OSError(28, os.strerror(28))

    monkeypatch.setattr(Path, "write_text", full_disk)
    result = run_new("mine", tmp_path)
    assert "No space left" in result.stderr
    assert len(written) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_what_it_writes_passes_every_check_at_once(tmp_path: Path, opwright: Any) -> None:
    run_new("fused_add", tmp_path)
    result = opwright("check", tmp_path / "fused_add", "--json", tmp_path / "record.json")
    assert result.returncode == 0, result.stdout + result.stderr
    (operator,) = json.loads((tmp_path / "record.json").read_text())["operators"]
    assert operator["counts"]["fail"] == operator["counts"]["error"] == 0
    assert operator["counts"]["pass"] > 100
    assert {case["check"] for case in operator["cases"]} >= {
        "contract",
        "numerics",
        "layouts",
        "coverage",
    }
