"""Ascend: CANN, torch-npu and devices."""

from __future__ import annotations

import re
from pathlib import Path

from opwright.doctor.finding import Finding, Status
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall

_VERSION = re.compile(
    r"^\s*(?:toolkit_\w*|runtime_\w*)?version\s*=\s*\[?(\S+?)\]?\s*$", re.MULTILINE | re.IGNORECASE
)
_BUILD, _RUN, _BOTH = ("build npu",), ("run npu",), ("build npu", "run npu")


def find_cann(machine: Machine) -> tuple[Path | None, str]:
    """CANN's folder and how it was found: ASCEND_HOME_PATH, else the usual places."""
    for variable in ("ASCEND_HOME_PATH", "ASCEND_TOOLKIT_HOME"):
        if home := machine.folder(variable):
            return home, variable
    for pattern in ("usr/local/Ascend/ascend-toolkit/latest", "usr/local/Ascend/cann*"):
        if found := machine.usual(pattern):
            return found[-1], "usual place"
    return None, ""


def probe_cann(machine: Machine) -> Finding:
    """Is CANN there, with its compiler?"""
    home, how = find_cann(machine)
    if home is None:
        what = "ASCEND_HOME_PATH is not set, and /usr/local/Ascend holds no toolkit"
        return Finding("CANN", "missing", what, "Needed for Ascend NPUs only.", _BOTH)
    if not home.is_dir():
        return Finding(
            "CANN", "problem", f"{how} names {home}, which is not there", f"Correct {how}.", _BOTH
        )
    compiler = next(
        (path for name in ("bisheng", "ccec") for path in sorted(home.rglob(f"bin/{name}"))), None
    )
    facts = {
        "home": str(home),
        "found_by": how,
        "version": _version(home),
        "compiler": str(compiler or ""),
    }
    what = f"{home} ({how}), version {facts['version']}"
    if compiler is None:
        fix = (
            "Install the CANN toolkit; the run-time package has no compiler. Source its set_env.sh."
        )
        return Finding("CANN", "problem", f"{what}; no bisheng or ccec in it", fix, _BUILD, facts)
    return Finding("CANN", "ok", f"{what}, {compiler}", needed_for=_BOTH, facts=facts)


def _version(home: Path) -> str:
    for path in (
        *sorted(home.glob("*.info")),
        *sorted(home.glob("*/*.info")),
        home / "version.cfg",
    ):
        if path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            if match := _VERSION.search(text):
                return match[1]
    return "not known"


def probe_torch_npu(install: TorchInstall | None) -> Finding:
    """Is torch-npu installed, and does it fit torch?"""
    subject = "torch-npu"
    version = install.npu_version if install else None
    if install is None or version is None:
        return Finding(subject, "missing", "not installed", "Needed for Ascend NPUs only.", _RUN)
    wanted = "{}.{}".format(*install.facts.release[:2])
    if not version.startswith(f"{wanted}."):
        fix = f"Install torch-npu {wanted}.*, or the torch that {version} is made for."
        what = f"torch-npu {version} is made for another torch than {install.version}"
        return Finding(subject, "problem", what, fix, _RUN)
    return Finding(subject, "ok", f"{version}, fits torch {install.version}", needed_for=_RUN)


def probe_devices(machine: Machine) -> Finding:
    """Which NPUs does the driver list?"""
    smi = machine.which("npu-smi")
    if smi is None:
        return Finding(
            "Ascend NPU", "missing", "npu-smi is not on PATH: no driver", needed_for=_RUN
        )
    answer = machine.ask([smi, "info"])
    if not answer.ok:
        fix = "Check the driver, and in a container that /dev/davinci* is passed in."
        return Finding("Ascend NPU", "problem", answer.why_not, fix, _RUN)
    names = re.findall(
        r"^\|\s*\d+\s+(\w+)\s*\|\s*(?:OK|Warning|Alarm|Critical)", answer.text, re.MULTILINE
    )
    what = f"npu-smi lists {len(names)}: {', '.join(names)}" if names else "npu-smi lists none"
    status: Status = "ok" if names else "problem"
    return Finding("Ascend NPU", status, what, needed_for=_RUN, facts={"names": names})
