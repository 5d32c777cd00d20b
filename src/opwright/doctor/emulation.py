"""Targets without a device: the emulator and the simulated device, on this machine's processor."""

from __future__ import annotations

import platform

from opwright.doctor.finding import Finding
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall
from opwright.generate.simulated import SINCE

_BOTH = ("build emulated", "run emulated", "build simulated", "run simulated")
_SIMULATED = ("build simulated", "run simulated")
_PROCESSORS = ("x86_64", "aarch64")  # those that the emulator's fibers are written for


def probe_processor(name: str | None = None) -> Finding:
    """Does the emulator run on this processor?"""
    name = name or platform.machine()
    if name in _PROCESSORS:
        return Finding("emulator", "ok", f"runs on {name}", needed_for=_BOTH)
    what = f"runs on {' and '.join(_PROCESSORS)}, and this is {name}"
    return Finding("emulator", "missing", what, "Use another machine for these targets.", _BOTH)


def probe_lines(machine: Machine) -> Finding:
    """Can accesses be told with their source lines? Nothing else depends on it."""
    subject = "source lines"
    if path := machine.which("addr2line"):
        return Finding(subject, "ok", f"found by {path}")
    what = "addr2line is not on PATH: findings on memory accesses come without a line"
    return Finding(
        subject, "missing", what, "Install it (Debian, Ubuntu: apt-get install binutils)."
    )


def probe_torch(install: TorchInstall | None) -> list[Finding]:
    """Has this torch what the simulated device is made of?"""
    if install is None:
        return []  # said by the finding on torch
    since = ".".join(map(str, SINCE))
    subject = "simulated device"
    if install.facts.release[:2] < SINCE:
        what = f"needs torch {since} or later, and this is {install.version}"
        return [Finding(subject, "missing", what, "Install a later torch.", _SIMULATED)]
    what = f"torch {install.version} has what it needs (since {since})"
    return [Finding(subject, "ok", what, needed_for=_SIMULATED)]


def probe_protection(machine: Machine) -> Finding:
    """Is the host kept from device memory at any time, or only while the device has no work?"""
    subject = "device memory"
    processor = machine.root / "proc" / "cpuinfo"
    flags = processor.read_text(encoding="utf-8").split() if processor.is_file() else []
    if "ospke" in flags:
        return Finding(subject, "ok", "protection keys keep the host from it at any time")
    what = (
        "the processor has no protection keys: the host is kept from a simulated device's memory only "
        "while that device has no work"
    )
    return Finding(subject, "missing", what)
