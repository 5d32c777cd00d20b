"""Make's syntax, as compilers write it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from opwright.build.depfile import depfile_paths, read_depfile


def test_continued_lines_and_escapes_are_read() -> None:
    text = "out.o: a.cpp \\\n /x/with\\ blank.h \\\n /x/d$$llar.h /x/h\\#sh.h\n\nother: z\n"
    assert depfile_paths(text) == ["a.cpp", "/x/with blank.h", "/x/d$llar.h", "/x/h#sh.h"]


def test_what_a_real_compiler_writes_is_read(tmp_path: Path) -> None:
    folder = tmp_path / "odd $name # here"
    folder.mkdir()
    (folder / "k.h").write_text("")
    (folder / "k.cpp").write_text('#include "k.h"\n')
    subprocess.run(
        [
            "g++",
            "-MD",
            "-MF",
            str(tmp_path / "d"),
            "-c",
            str(folder / "k.cpp"),
            "-o",
            str(tmp_path / "o"),
        ],
        check=True,
    )
    assert {folder / "k.cpp", folder / "k.h"} <= set(read_depfile(tmp_path / "d", tmp_path))
