"""The wheel holds exactly what the tree holds: no header is forgotten, nothing strays in."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import opwright
from defect_folders import CORRECT, DEFECTS, correct_folders, defects
from opwright.session.graph_planted import graph_defects
from source_tree import PACKAGE

ROOT = PACKAGE.parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "hatchling",
        "build",
        "--target",
        "wheel",
        "--directory",
        str(folder),
    ]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
    (path,) = folder.glob("*.whl")
    assert path.name == f"opwright-{opwright.__version__}-py3-none-any.whl"
    return zipfile.ZipFile(path)


def tree(folder: Path, place: str) -> set[str]:
    """Every file below the folder, as it is called at its place in the wheel."""
    return {
        f"{place}/{path.relative_to(folder)}"
        for path in folder.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_holds_the_package_and_the_planted_operators_and_nothing_else(
    wheel: zipfile.ZipFile,
) -> None:
    files = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert files == (
        tree(PACKAGE, "opwright")
        | tree(DEFECTS, "opwright/planted/defects")
        | tree(CORRECT, "opwright/planted/correct")
        | tree(DEFECTS.parent / "graph_defects", "opwright/planted/graph_defects")
    )


def test_the_wheel_unpacked_finds_its_planted_operators(
    wheel: zipfile.ZipFile, tmp_path: Path
) -> None:
    wheel.extractall(tmp_path)
    program = (
        "from opwright.session.graph_planted import graph_defects\n"
        "from opwright.session.planted import correct_folders, defects, planted_folder\n"
        "print(planted_folder(), len(defects()), len(correct_folders()), len(graph_defects()))"
    )
    told = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert told == [
        str(tmp_path / "opwright" / "planted"),
        str(len(defects())),
        str(len(correct_folders())),
        str(len(graph_defects())),
    ]


def test_headers_kernels_and_the_typing_mark_are_among_them(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    assert "opwright/py.typed" in names
    assert "opwright/include/opwright/kernel.h" in names
    assert "opwright/ops/bias_gelu/bias_gelu.cpp" in names


def test_metadata_says_what_is_needed_and_carries_the_licence(wheel: zipfile.ZipFile) -> None:
    info = f"opwright-{opwright.__version__}.dist-info"
    metadata = Parser().parsestr(wheel.read(f"{info}/METADATA").decode())
    needs = [line for line in metadata.get_all("Requires-Dist", []) if "extra ==" not in line]
    assert sorted(line.split(">")[0] for line in needs) == [
        "click",
        "filelock",
        "ninja",
        "rich",
        "torch",
    ]
    assert metadata["Requires-Python"] == ">=3.10"
    assert metadata["License-Expression"] == "Apache-2.0"
    assert "Apache License" in wheel.read(f"{info}/licenses/LICENSE").decode()
    assert "opwright = opwright.cli.main:main" in wheel.read(f"{info}/entry_points.txt").decode()
