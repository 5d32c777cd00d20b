"""How many compilers may run at a time: what processors, memory and process limits allow."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from opwright.cgroups import ROOT, free_memory_bytes, free_processes, processor_limit

# A unit full of templates takes this much; a job is a shell, a driver, a compiler and an assembler.
JOB_BYTES = 1_500_000_000
JOB_PROCESSES = 4


class Jobs(NamedTuple):
    """How many at a time, because of what, and the memory that was free; 0 bytes where that cannot be told."""

    at_once: int
    because: str
    free_bytes: int


def job_count(
    units: int, environment: Mapping[str, str] = os.environ, *, root: Path = ROOT
) -> Jobs:
    """At least one, at most one a unit. OPWRIGHT_JOBS, or else MAX_JOBS, is a further limit."""
    free_bytes = free_memory_bytes(root)
    limits = [(units, "units to compile"), (_processors(root), "processors")]
    if free_bytes is not None:
        limits.append((free_bytes // JOB_BYTES, f"{free_bytes / 1e9:.1f} GB of free memory"))
    if (processes := free_processes(root)) is not None:
        limits.append((processes // JOB_PROCESSES, f"{processes} more processes allowed"))
    for name in ("MAX_JOBS", "OPWRIGHT_JOBS"):
        with suppress(KeyError, ValueError):
            limits.append((int(environment[name]), name))
    count, because = min(limits)
    return Jobs(max(1, count), because, free_bytes or 0)


def _processors(root: Path) -> int:
    allowed = len(os.sched_getaffinity(0))
    limit = processor_limit(root)
    return allowed if limit is None else min(allowed, max(1, round(limit)))
