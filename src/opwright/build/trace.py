"""Watch what a compile reads and looks for: a small preloaded library writes it down (``trace.c``)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path

from opwright.build.digests import Signature
from opwright.build.store import Store
from opwright.errors import OpwrightError
from opwright.files import digest_text, publish_folder, remove_folder
from opwright.log import log
from opwright.process import run_command
from opwright.toolchain.base import Tools

_FLAGS = ("-x", "c", "-O1", "-w", "-shared", "-fPIC")
_COMPILE_SECONDS = 60.0
_NEVER = ("/proc/", "/sys/", "/dev/", "/etc/ld.so")


@dataclass
class Trace:
    """What the compiler's programs saw. ``problem`` says why it is not the whole truth, if it is not.

    ``reads`` maps each file to its state when it was opened; ``seen_ns`` to when that was.
    """

    reads: dict[str, Signature] = field(default_factory=dict)
    seen_ns: dict[str, int] = field(default_factory=dict)
    missing: dict[str, None] = field(default_factory=dict)
    folders: dict[str, None] = field(default_factory=dict)
    changed: str = ""
    problem: str = ""


def tracer(store: Store, tools: Tools, environment: Mapping[str, str]) -> Path | None:
    """The preloaded library, compiled once a store; None where no compiler here can make it."""
    source = files("opwright.build").joinpath("trace.c").read_text(encoding="utf-8")
    folder = store.internal(".tracer", digest_text(source + os.uname().machine)[:16])
    library = folder / "trace.so"
    if library.exists():
        return library
    private = store.internal(".building", f"tracer-{os.getpid()}-{os.urandom(4).hex()}")
    private.mkdir(parents=True, mode=0o700)
    try:
        (private / "trace.c").write_text(source)
        said = _compile(private, tools, environment)
        if said:
            log("trace.unavailable", f"no tracer: {said}")
            return None
        publish_folder(private, folder)
    finally:
        remove_folder(private)
    return library


def _compile(folder: Path, tools: Tools, environment: Mapping[str, str]) -> str:
    """Compile ``trace.c`` to ``trace.so``; what the last compiler said, empty when one managed."""
    said = ""
    plain = {name: value for name, value in environment.items() if not name.endswith("FLAGS")}
    paths = [str(folder / "trace.c"), "-o", str(folder / "trace.so")]
    # The user's own last: it may count or filter its calls.
    for driver in (("cc",), ("gcc",), tools.driver):
        command = [*driver, *_FLAGS, *paths, "-ldl"]
        try:
            done = run_command(command, env=plain, cwd=folder, timeout_seconds=_COMPILE_SECONDS)
        except OpwrightError as error:
            said = error.what
            continue
        if done.ok:
            return ""
        said = done.describe()
    return said


@contextmanager
def traced(
    library: Path | None, record: Path, environment: Mapping[str, str]
) -> Iterator[dict[str, str]]:
    """An environment in which every process writes what it reads to ``record``."""
    if library is None:
        yield dict(environment)
        return
    descriptor = os.open(library, os.O_RDONLY)
    try:
        # LD_PRELOAD is split at blanks and colons, so a path with one goes by its descriptor.
        odd = re.search(r"[\s:;]", str(library))
        name = f"/proc/{os.getpid()}/fd/{descriptor}" if odd else str(library)
        # After what is there: a sanitizer's runtime insists on being the first.
        preload = " ".join(filter(None, (environment.get("LD_PRELOAD"), name)))
        yield {**environment, "LD_PRELOAD": preload, "OPWRIGHT_TRACE": str(record)}
    finally:
        os.close(descriptor)


def read_trace(record: Path, programs: str, private: Path) -> Trace:
    """Read what was written down by the programs that match ``programs``, outside ``private``."""
    trace = Trace()
    try:
        content = record.read_bytes()
    except OSError:
        trace.problem = "the compiler's programs took no notice of the tracer"
        return trace
    wanted = re.compile(programs)
    ignored = (*_NEVER, f"{private}{os.sep}")
    for line in os.fsdecode(content).split("\0")[:-1]:
        kind, program, *numbers, path = line.split("\t", 8)
        if wanted.fullmatch(program) and not path.startswith(ignored):
            _note(trace, kind, [int(number) for number in numbers], path)
    return trace


def _note(trace: Trace, kind: str, numbers: list[int], path: str) -> None:
    if kind == "E":
        trace.problem = "the tracer could not see a file's state"
    elif kind == "N":
        trace.missing[path] = None
    elif kind == "D":
        trace.folders[path] = None
    else:
        device, inode, size, mtime_ns, ctime_ns, seen_ns = numbers
        signature = (device, inode, size, mtime_ns, ctime_ns)
        if trace.reads.setdefault(path, signature) != signature:
            trace.changed = path
        trace.seen_ns[path] = seen_ns
