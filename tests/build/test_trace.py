"""The tracer: compiled once a store, preloaded into compilers, and able to see every kind of look-up."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

from opwright.build import trace
from opwright.build.store import Store
from opwright.build.trace import read_trace, traced, tracer
from opwright.toolchain.base import Tools
from small_build import answer_of, built, heard, request_for, small_operator, write

NO_TOOLS = Tools(("no-such-compiler",), (), "")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    store = Store(tmp_path / "a store")
    store.prepare()
    found = tracer(store, NO_TOOLS, os.environ)
    assert found is not None
    return found


def lookups(library: Path, folder: Path, code: str, program: str = "python.*") -> trace.Trace:
    """What a Python that runs ``code`` in ``folder`` looks up there."""
    record = folder / "record"
    with traced(library, record, os.environ) as environment:
        subprocess.run([sys.executable, "-c", code], cwd=folder, env=environment, check=True)
    found = read_trace(record, program, Path("/nowhere"))
    here = f"{folder}{os.sep}"
    found.reads = {path: state for path, state in found.reads.items() if path.startswith(here)}
    found.missing = {path: None for path in found.missing if path.startswith(here)}
    return found


@pytest.mark.parametrize(
    "call",
    [
        "open('{0}')",
        "os.open('{0}', os.O_RDONLY)",
        "os.stat('{0}')",
        "os.access('{0}', os.R_OK)",
        "os.open('{0}', os.O_RDONLY, dir_fd=os.open('.', os.O_RDONLY))",
        "libc.fopen(b'{0}', b'r') or int('no')",
        "libc.fopen64(b'./{0}', b'rb') or int('no')",
        "libc.open64(b'{0}', 0) > 0 or int('no')",
    ],
)
def test_every_kind_of_look_up_is_seen(library: Path, tmp_path: Path, call: str) -> None:
    (tmp_path / "there").write_text("x")
    start = "import contextlib, ctypes, os\nlibc = ctypes.CDLL(None)\n"
    code = (
        start
        + f"{call.format('there')}\nwith contextlib.suppress(Exception): {call.format('gone')}"
    )
    found = lookups(library, tmp_path, code)
    status = (tmp_path / "there").stat()
    assert list(found.reads) == [str(tmp_path / "there")]
    state = found.reads[str(tmp_path / "there")]
    assert state[:3] == (status.st_dev, status.st_ino, 1)
    assert state[3:] == (status.st_mtime_ns, status.st_ctime_ns)
    assert list(found.missing) == [str(tmp_path / "gone")]
    assert found.problem == ""


def test_a_link_that_leads_nowhere_is_not_there(library: Path, tmp_path: Path) -> None:
    (tmp_path / "dangling").symlink_to(tmp_path / "gone")
    found = lookups(library, tmp_path, "import os; os.lstat('dangling')")
    assert list(found.missing) == [str(tmp_path / "dangling")]
    assert found.problem == ""


def test_writing_is_no_reading(library: Path, tmp_path: Path) -> None:
    found = lookups(library, tmp_path, "open('out', 'w').write('x'); open('out', 'a').write('y')")
    assert found.reads == {}
    assert found.missing == {}


def test_the_tracer_is_compiled_once_and_without_a_warning(library: Path, tmp_path: Path) -> None:
    before = library.stat()
    assert tracer(Store(tmp_path / "a store"), NO_TOOLS, {"PATH": "/nonexistent"}) == library
    assert library.stat().st_ino == before.st_ino
    source = str(files("opwright.build").joinpath("trace.c"))
    command = [
        "cc",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-O2",
        "-D_FORTIFY_SOURCE=2",
        "-shared",
        "-fPIC",
    ]
    subprocess.run([*command, source, "-o", str(tmp_path / "t.so"), "-ldl"], check=True)


def test_what_is_preloaded_already_stays_first(library: Path, tmp_path: Path) -> None:
    with traced(library, tmp_path / "r", {"LD_PRELOAD": "libasan.so.8"}) as environment:
        first, ours = environment["LD_PRELOAD"].split(" ")
    assert first == "libasan.so.8"
    assert ours.startswith(f"/proc/{os.getpid()}/fd/"), "the store's path has a blank"


def test_without_a_tracer_the_answer_is_still_right_and_it_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trace, "_compile", lambda *args: "cc: not found")
    root = tmp_path / "operator"
    small_operator(root)
    with heard() as said:
        assert answer_of(built(request_for(root), tmp_path / "store")) == 2
    assert ("trace.unavailable", "no tracer: cc: not found") in said
    write(root, k_h="#define K 5\n")
    assert answer_of(built(request_for(root), tmp_path / "store")) == 5
    assert built(request_for(root), tmp_path / "store").hit
