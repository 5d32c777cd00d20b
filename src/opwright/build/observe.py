"""From the trace of a compile to its inputs, or to why they cannot be told."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from opwright.build.depfile import read_depfile
from opwright.build.digests import Digests, settled, signature_of
from opwright.build.inputs import Inputs, by_folder
from opwright.build.plan import Plan
from opwright.build.roots import Roots
from opwright.build.trace import Trace


@dataclass(frozen=True)
class Changed:
    """A file was not the same all the time: what was compiled is nobody's content. Compile again."""

    path: str

    def __str__(self) -> str:
        return f"{self.path} changed"


@dataclass(frozen=True)
class Unseen:
    """The trace misses something that the compiler read; ``reason`` says what."""

    reason: str

    def __str__(self) -> str:
        return self.reason


def observe(
    trace: Trace, plan: Plan, private: Path, roots: Roots, digests: Digests
) -> Inputs | Changed | Unseen:
    """Digest what was read, after making sure that it still is what was read."""
    if trace.changed:
        return Changed(trace.changed)
    if trace.problem:
        return Unseen(trace.problem)
    if path := _missing_from(trace, plan, private):
        return Unseen(f"{path} was read, and the tracer did not see it")
    reads = {}
    for path, signature in trace.reads.items():
        if not settled(signature, trace.seen_ns[path]):
            return Changed(path)
        digest = digests.of(path)
        if digest is None or _signature(path) != signature:
            return Changed(path)
        reads[roots.display(path)] = digest
    for path in trace.missing:
        if os.path.exists(path):
            return Changed(path)
    return Inputs(
        dict(sorted(reads.items(), key=_likely_first)),
        by_folder(roots.display(path) for path in trace.missing),
        tuple(sorted({roots.display(path) for path in trace.folders})),
    )


def _likely_first(read: tuple[str, str]) -> tuple[bool, str]:
    """The user's own files before the system's: they are what changes."""
    return (not read[0].startswith("{root}"), read[0])


def _missing_from(trace: Trace, plan: Plan, private: Path) -> str:
    """The first file of the compiler's own list that the trace lacks; empty if it has them all.

    Files are compared by device and inode: the compiler may spell a path in a shorter way.
    """
    seen = {signature[:2] for signature in trace.reads.values()}
    for step, action in zip(plan.steps, plan.compile, strict=True):
        for path in read_depfile(step.depfile, action.cwd):
            if private in path.parents:
                continue
            signature = _signature(str(path))
            if signature is not None and signature[:2] not in seen:
                return str(path)
    return ""


def _signature(path: str) -> tuple[int, int, int, int, int] | None:
    try:
        return signature_of(os.stat(path))
    except OSError:
        return None
