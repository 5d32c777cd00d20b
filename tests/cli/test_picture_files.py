from __future__ import annotations

import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from opwright.records.measurement import read_measurement
from opwright.report.page import measurement_page

Run = Callable[..., "subprocess.CompletedProcess[str]"]
QUICK = ("--seconds", "0.02", "--processes", "1", "--cache", "warm")


def test_a_run_is_written_as_a_page_and_as_a_picture(
    opwright: Run, operators: Path, tmp_path: Path
) -> None:
    files = {name: tmp_path / name for name in ("run.json", "run.html", "run.png")}
    asked = ("--json", files["run.json"], "--html", files["run.html"], "--plot", files["run.png"])
    done = opwright("bench", f"{operators}:right", *QUICK, *asked)
    assert done.returncode == 0, done.stderr
    page = files["run.html"].read_text(encoding="utf-8")
    assert page == measurement_page(read_measurement(files["run.json"]))
    width, _ = struct.unpack(">II", files["run.png"].read_bytes()[16:24])
    assert width == 1600


@pytest.mark.parametrize("name", ["run.gif", "run", "run.html"])
def test_a_picture_of_an_unknown_kind_is_refused_before_the_work(
    name: str, opwright: Run, operators: Path, tmp_path: Path
) -> None:
    done = opwright("bench", f"{operators}:right", "--plot", tmp_path / name)
    assert done.returncode == 2
    assert "Invalid value for '--plot'" in done.stderr
    assert "neither a .png nor an .svg" in done.stderr
    assert not list(tmp_path.glob("run*"))


@pytest.mark.parametrize("option, name", [("--html", "x.html"), ("--plot", "x.png")])
def test_a_place_that_cannot_be_written_is_refused_before_the_work(
    option: str, name: str, opwright: Run, operators: Path, tmp_path: Path
) -> None:
    done = opwright("bench", f"{operators}:right", option, tmp_path / "gone" / name)
    assert done.returncode == 50
    assert "is not a folder that you can write to" in done.stderr
    assert f"name another file for {option}" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("library", ["matplotlib", "jinja2"])
@pytest.mark.parametrize("option, name", [("--html", "x.html"), ("--plot", "x.png")])
def test_a_missing_library_is_named_before_the_work(
    library: str, option: str, name: str, operators: Path, tmp_path: Path
) -> None:
    # None in sys.modules is what Python takes for a module that cannot be had.
    program = (
        f"import sys; sys.modules[{library!r}] = None\n"
        "from opwright.cli.main import main; sys.exit(main())"
    )
    command = ["bench", f"{operators}:right", option, str(tmp_path / name)]
    done = subprocess.run(
        [sys.executable, "-c", program, *command], capture_output=True, text=True, check=False
    )
    assert done.returncode == 20
    assert f"{option} needs matplotlib and jinja2" in done.stderr
    assert "pip install 'opwright[report]'" in done.stderr
    assert done.stdout == ""
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize("arguments", [["--help"], ["bench", "--help"]])
def test_nothing_that_draws_is_loaded_where_nothing_is_drawn(arguments: list[str]) -> None:
    program = (
        "import sys\nfrom opwright.cli.main import main\n"
        "try: main.main(sys.argv[1:])\nexcept SystemExit: pass\n"
        "print(sorted({'matplotlib', 'jinja2', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert "Usage:" in done.stdout
