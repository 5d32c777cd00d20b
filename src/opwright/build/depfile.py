"""Read the dependencies that a compiler writes in make's syntax."""

from __future__ import annotations

import re
from pathlib import Path

_WORD = re.compile(r"(?:\\.|\$\$|[^\s\\])+")


def depfile_paths(text: str) -> list[str]:
    """The prerequisites of the first rule: blanks, ``#`` and ``$`` in names come escaped."""
    _, _, rest = text.replace("\\\n", " ").partition(": ")
    return [
        re.sub(r"\\([\s#\\:])", r"\1", word).replace("$$", "$")
        for word in _WORD.findall(rest.split("\n")[0])
    ]


def read_depfile(path: Path, base: Path) -> list[Path]:
    """The absolute paths in the depfile of a compile that ran in ``base``; raises ``OSError``."""
    return [base / name for name in depfile_paths(path.read_text(errors="surrogateescape"))]
