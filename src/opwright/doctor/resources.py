"""Cores and memory that builds and checks can use here, control groups included."""

from __future__ import annotations

import os

from opwright.build.jobs import job_count
from opwright.cgroups import processor_limit
from opwright.doctor.finding import Finding
from opwright.doctor.machine import Machine
from opwright.worker.memory import free_bytes

# A compiler on a translation unit with torch's ATen headers was seen at 1.2 GB.
LEAST_BYTES = 1 << 30
MANY_UNITS = 1000
_GIB = 1 << 30


def probe_jobs(machine: Machine) -> Finding:
    """How many compilers would a large build run at a time, and what limits them?"""
    jobs = job_count(MANY_UNITS, machine.environment)
    facts = {"at_once": jobs.at_once, "because": jobs.because}
    return Finding(
        "build jobs", "ok", f"{jobs.at_once} at a time, because of {jobs.because}", facts=facts
    )


def probe_cores(machine: Machine) -> Finding:
    """How many processors may this process use, by affinity and by control group?"""
    usable, present = len(os.sched_getaffinity(0)), os.cpu_count() or 1
    quota = processor_limit(machine.root)
    facts = {"present": present, "usable": usable, "quota": quota}
    what = f"{usable} of {present} usable"
    if quota is not None and quota < usable:
        what += f", but the control group allows the time of {quota:g}"
        fix = "Builds and checks take longer than the core count suggests; give the container more."
        return Finding("cores", "problem" if quota < 1 else "ok", what, fix, facts=facts)
    return Finding("cores", "ok", what, facts=facts)


def probe_memory(size_bytes: int | None = None) -> Finding:
    """How much memory can a new process have?"""
    free = free_bytes() if size_bytes is None else size_bytes
    what = f"{free / _GIB:.1f} GiB free"
    facts = {"free_bytes": free}
    if free < LEAST_BYTES:
        fix = "A compiler may be killed for want of memory: end other programs or raise the limit."
        return Finding("memory", "problem", what, fix, facts=facts)
    return Finding("memory", "ok", what, facts=facts)
