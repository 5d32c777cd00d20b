"""Small builds for tests: an operator folder of a few lines, what it answers, and compilers that misbehave."""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from opwright.build.builder import build
from opwright.build.explain import Miss
from opwright.build.manifest import Manifest
from opwright.build.query import Query
from opwright.build.store import Store
from opwright.frozen import replace
from opwright.log import logging_to
from opwright.records.artifact import Artifact
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target

EXPORT = 'extern "C" __attribute__((visibility("default")))'
# In a script's `case " $* " in`: what compiles a unit. With `-###` it is only asked what would be run.
COMPILES = '*" -### "*) ;; *" -c "*'
SOURCE = f'#include "k.h"\n{EXPORT} int answer() {{ return K; }}\n'


def write(folder: Path, **files: str) -> None:
    """Write files into a folder; ``__`` in a name is ``/``, and the last ``_`` is the dot."""
    for name, text in files.items():
        stem, _, suffix = name.replace("__", "/").rpartition("_")
        path = folder / f"{stem}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def request_for(root: Path, *units: str, **changes: Any) -> BuildRequest:
    """A request for the sources ``units`` (``k.cpp`` by default) below ``root``."""
    found = tuple(Unit(name, path=root / name) for name in units or ("k.cpp",))
    return replace(BuildRequest("small", Target("cpu"), root, found), **changes)


def small_operator(root: Path, answer: int = 2) -> BuildRequest:
    """An operator folder with a source and a header; its library answers ``answer``."""
    write(root, k_cpp=SOURCE, k_h=f"#define K {answer}\n")
    return request_for(root)


def answer_of(artifact: Artifact) -> int:
    """What the library answers. A copy is loaded: a second library at the same path would be the first."""
    with tempfile.NamedTemporaryFile(suffix=".so") as copy:
        copy.write(artifact.library.read_bytes())
        copy.flush()
        return int(ctypes.CDLL(copy.name).answer())


def built(request: BuildRequest, store: Store | Path) -> Artifact:
    """Build into ``store``."""
    return build(request, store=store if isinstance(store, Store) else Store(store))


def looked_up(request: BuildRequest, store: Store | Path) -> Manifest | Miss:
    """The entry of ``store`` that fits, or why none does; nothing is built."""
    return Query(request, store if isinstance(store, Store) else Store(store)).find()


@contextmanager
def heard() -> Iterator[list[tuple[str, str]]]:
    """Everything that is logged inside the block, as kinds and messages."""
    said: list[tuple[str, str]] = []
    with logging_to(lambda kind, message, facts: said.append((kind, message))):
        yield said


def compiler_script(path: Path, body: str) -> Path:
    """A compiler that is a shell script; ``exec g++ "$@"`` in ``body`` goes on to the real one."""
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def counting_compiler(folder: Path) -> tuple[Path, Path]:
    """A compiler that adds a line to a file for each unit that it compiles; both paths."""
    count = folder / "count.txt"
    count.touch()
    line = f'case " $* " in {COMPILES}) echo x >> {shlex.quote(str(count))};; esac\nexec g++ "$@"'
    return compiler_script(folder / "counting-g++", line), count


def lines_of(path: Path) -> int:
    """How many lines a file has."""
    return len(path.read_text().splitlines())


def run_python(code: str, **environment: str) -> subprocess.Popen[str]:
    """Start a Python of its own, in a session of its own, that can import Opwright and this module."""
    here = Path(__file__).parent
    paths = f"{here.parent / 'src'}{os.pathsep}{here}"
    return subprocess.Popen(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": paths, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
