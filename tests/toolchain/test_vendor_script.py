"""Vendor scripts read unset variables, end with a false test, print, and call exit: none of it matters."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from opwright.toolchain.vendor_script import source_script

DTK = """
echo "Welcome to the toolkit"
export LD_LIBRARY_PATH=/opt/dtk/lib:$LD_LIBRARY_PATH
export CMAKE_PREFIX_PATH=/opt/dtk:${CMAKE_PREFIX_PATH}
export PATH=/opt/dtk/bin:$PATH
export ROCM_PATH=/opt/dtk
[ -d /nope ] && export X=1
"""
PATHS = {"PATH": "/usr/bin:/bin"}


@pytest.fixture
def script(tmp_path: Path) -> Path:
    return tmp_path / "env.sh"


def test_variables_are_taken_though_some_were_unset_and_the_last_line_is_false(
    script: Path,
) -> None:
    script.write_text(DTK)
    effect = source_script(script, PATHS)
    assert effect.changed == {
        "LD_LIBRARY_PATH": "/opt/dtk/lib",  # no empty entry, which would mean the current folder
        "CMAKE_PREFIX_PATH": "/opt/dtk",
        "PATH": "/opt/dtk/bin:/usr/bin:/bin",
        "ROCM_PATH": "/opt/dtk",
    }
    assert effect.warning == f"{script}:7: `[ -d /nope ]` ended the script with 1"


def test_sourcing_twice_changes_nothing_more(script: Path) -> None:
    script.write_text(DTK)
    once = source_script(script, PATHS).applied_to(PATHS)
    assert once["PATH"] == "/opt/dtk/bin:/usr/bin:/bin"
    assert source_script(script, once).changed == {}


def test_a_list_that_the_script_does_not_touch_is_left_as_it_is(script: Path) -> None:
    script.write_text("export A=1\n")
    twice = {"PATH": "/usr/bin:/bin:/usr/bin:"}
    assert source_script(script, twice).changed == {"A": "1"}


def test_exit_in_the_script_ends_the_script_only(script: Path) -> None:
    script.write_text("export A=1\nexit 3\nexport B=2\n")
    effect = source_script(script, PATHS)
    assert effect.changed == {"A": "1"}
    assert effect.warning == f"{script}:2: `exit 3` ended the script with 3"


@pytest.mark.parametrize("options", ["errexit:nounset", "posix"])
def test_strict_flags_of_the_caller_do_not_reach_the_script(script: Path, options: str) -> None:
    script.write_text("export A=$NEVER_SET\nfalse\nexport B=2\n")
    effect = source_script(script, {**PATHS, "SHELLOPTS": options, "BASH_ENV": "/nope"})
    assert effect.changed == {"A": "", "B": "2"}
    assert effect.warning == ""
    assert effect.removed == ()


def test_strict_flags_of_the_script_itself_are_reported_with_the_line(script: Path) -> None:
    script.write_text("set -eu\nexport A=1\nexport B=$NEVER_SET\n")
    effect = source_script(script, PATHS)
    assert effect.changed == {"A": "1"}
    assert f"{script}:3" in effect.warning
    assert "NEVER_SET: unbound variable" in effect.warning


def test_values_with_line_breaks_and_equal_signs_come_back_whole(script: Path) -> None:
    script.write_text("export A=$'x\\ny=3'\nexport B=http://host:80/a\nunset HOME\n")
    effect = source_script(script, {**PATHS, "HOME": "/h"})
    assert effect.changed == {"A": "x\ny=3", "B": "http://host:80/a"}
    assert effect.removed == ("HOME",)
    assert effect.applied_to({"HOME": "/h", "C": "1"}) == {"C": "1", **effect.changed}


def test_a_script_that_breaks_its_own_path_still_reports(script: Path) -> None:
    script.write_text("export PATH=/nowhere\n")
    assert source_script(script, PATHS).changed == {"PATH": "/nowhere"}


def test_a_file_with_a_syntax_error_is_a_warning(script: Path) -> None:
    script.write_text("if then (\n")
    effect = source_script(script, PATHS)
    assert effect.changed == {}
    assert f"{script} could not be read" in effect.warning


def test_a_missing_file_is_a_warning(script: Path) -> None:
    assert "No such file" in source_script(script, PATHS).warning


def test_a_script_that_kills_its_shell_is_a_warning(script: Path) -> None:
    script.write_text("kill -9 $$\n")
    assert "killed by signal 9" in source_script(script, PATHS).warning


def test_this_process_stays_as_it_is(script: Path) -> None:
    script.write_text("export OPWRIGHT_LEAK=1\ncd /\n")
    folder = Path.cwd()
    assert source_script(script, dict(os.environ)).changed == {"OPWRIGHT_LEAK": "1"}
    assert "OPWRIGHT_LEAK" not in os.environ
    assert Path.cwd() == folder
