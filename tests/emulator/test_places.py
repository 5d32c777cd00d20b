"""An access through a header of the emulator's, or of the library's, is told with the user's line."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from opwright.emulator.layout import INCLUDE, OPWRIGHT_INCLUDE
from opwright.emulator.places import find_places

# The two accesses are compiled inside of __ldg, and inside of std::max.
SOURCE = """#include <algorithm>
#include <opwright/emulated/memory.h>
extern "C" int loaded(const int* p) {
  return __ldg(p);
}
extern "C" int larger(const int* p, const int* q) {
  return std::max(*p, *q);
}
"""
MAPS = {
    "as in builds, without paths": [
        f"-ffile-prefix-map={INCLUDE.parent}=emulator",
        f"-ffile-prefix-map={OPWRIGHT_INCLUDE}=opwright",
    ],
    "with paths": [],
}


@pytest.mark.parametrize("how", MAPS)
@pytest.mark.parametrize(("function", "line"), [("loaded", 4), ("larger", 7)])
def test_the_innermost_line_that_is_the_users_is_found(
    tmp_path: Path, how: str, function: str, line: int
) -> None:
    (tmp_path / "kernel.cpp").write_text(SOURCE)
    maps = [*MAPS[how], *([f"-ffile-prefix-map={tmp_path}=."] if MAPS[how] else [])]
    includes = [f"-I{INCLUDE}", f"-I{OPWRIGHT_INCLUDE}", "-DOPWRIGHT_WAVE_SIZE=32"]
    front = ["g++", "-std=c++17", "-g", "-O1", "-fPIC", "-shared", *maps, *includes]
    command = [*front, str(tmp_path / "kernel.cpp"), "-o", "kernel.so"]
    subprocess.run(command, cwd=tmp_path, check=True)
    library = str(tmp_path / "kernel.so")
    symbols = subprocess.run(["nm", "-S", library], capture_output=True, text=True, check=True)
    found = re.search(rf"(\w+) (\w+) T {function}$", symbols.stdout, re.MULTILINE)
    assert found
    begin, size = (int(number, 16) for number in found.groups())
    places = find_places((library, offset) for offset in range(begin, begin + size))
    assert {Path(file).name for file, _ in places.values()} == {"kernel.cpp"}
    assert line in {number for _, number in places.values()}


def test_a_folder_of_the_operators_own_may_be_called_as_one_of_ours(
    tmp_path: Path,
) -> None:
    (tmp_path / "emulator").mkdir()
    (tmp_path / "emulator" / "own.h").write_text(
        "inline int own(const int* p) {\n  return *p;\n}\n"
    )
    (tmp_path / "k.cpp").write_text(
        '#include "emulator/own.h"\nextern "C" int of(int* p) { return own(p); }\n'
    )
    command = ["g++", "-g", "-O1", "-fPIC", "-shared", f"-ffile-prefix-map={tmp_path}=."]
    subprocess.run([*command, str(tmp_path / "k.cpp"), "-o", "k.so"], cwd=tmp_path, check=True)
    library = str(tmp_path / "k.so")
    symbols = subprocess.run(["nm", library], capture_output=True, text=True, check=True)
    found = re.search(r"(\w+) T of$", symbols.stdout, re.MULTILINE)
    assert found
    begin = int(found[1], 16)
    places = find_places([(library, begin)])
    assert {Path(file).name for file, _ in places.values()} <= {"own.h", "k.cpp"}
    assert places
