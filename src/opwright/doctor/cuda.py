"""CUDA: every nvcc that is found, the one that would be used and why, its match with torch, devices."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from opwright.doctor.compiler import HostCompiler, find_compiler
from opwright.doctor.finding import Finding, Status
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall

_BUILD, _RUN = ("build cuda",), ("run cuda",)

# CUDA release -> newest gcc that its nvcc accepts, for toolkits whose host_config.h cannot be read.
# (NVIDIA's installation guides for Linux, "host compiler support policy".)
NEWEST_GCC = {
    **dict.fromkeys(("11.0",), 9),
    **dict.fromkeys(("11.1", "11.2", "11.3"), 10),
    **dict.fromkeys(("11.4", "11.5", "11.6", "11.7", "11.8"), 11),
    **dict.fromkeys(("12.0", "12.1", "12.2", "12.3"), 12),
    **dict.fromkeys(("12.4", "12.5", "12.6"), 13),
    **dict.fromkeys(("12.8", "12.9"), 14),
    **dict.fromkeys(("13.0", "13.1"), 15),
}


@dataclass(frozen=True)
class Toolkit:
    """One nvcc and its toolkit's ``home``. With a ``fault`` it cannot be used and has no ``release``."""

    nvcc: Path
    how: str
    home: Path
    release: str = ""
    fault: str = ""


def find_toolkits(machine: Machine) -> list[Toolkit]:
    """Each nvcc once, in the order in which torch looks: the first is the one that is used."""
    named = [(name, machine.folder(name)) for name in ("CUDA_HOME", "CUDA_PATH")]
    places = [(home / "bin" / "nvcc", variable) for variable, home in named if home]
    places += [(folder / "nvcc", "PATH") for folder in machine.search_path()]
    places += [(home / "bin" / "nvcc", "usual place") for home in machine.usual("usr/local/cuda*")]
    found: dict[Path, Toolkit] = {}
    for nvcc, how in places:
        asked_for = how.startswith("CUDA")  # so its absence is a fault
        if (nvcc.is_file() or asked_for) and nvcc.resolve() not in found:
            found[nvcc.resolve()] = _look_at(machine, nvcc, how)
    return list(found.values())


def _look_at(machine: Machine, nvcc: Path, how: str) -> Toolkit:
    home = nvcc.parent.parent
    if not nvcc.is_file():
        return Toolkit(nvcc, how, home, fault=f"{how} names {home}, which has no bin/nvcc")
    answer = machine.ask([nvcc, "--version"])
    if not answer.ok:
        return Toolkit(nvcc, how, home, fault=answer.why_not)
    release = re.search(r"release (\d+\.\d+)", answer.text)
    if release is None:
        return Toolkit(nvcc, how, home, fault="prints no release number for --version")
    # /usr/local/bin/nvcc may be a script that calls the real one: nvcc itself says where it lives
    dry = machine.ask([nvcc, "--dryrun", "-E", "-x", "cu", "/dev/null"])
    top = re.search(r"^#\$ TOP=(.+)$", dry.text, re.MULTILINE)
    return Toolkit(nvcc, how, Path(top[1]).resolve() if top else home, release[1])


def probe_toolkits(toolkits: list[Toolkit], install: TorchInstall | None) -> list[Finding]:
    """One finding a toolkit: which one is used, and why the others are not."""
    if not toolkits:
        built_with = install.facts.cuda if install else ""
        wanted = f"CUDA {built_with}" if built_with else "the CUDA release of your torch"
        what = "no nvcc: CUDA_HOME is not set, none on PATH, none in /usr/local/cuda*"
        fix = (
            f"For the cuda target install the toolkit of {wanted}; run-time packages have no nvcc."
        )
        return [Finding("nvcc", "missing", what, fix, _BUILD)]
    first = toolkits[0]
    return [_describe(kit, first) for kit in toolkits]


def _describe(kit: Toolkit, first: Toolkit) -> Finding:
    used = kit is first
    reason = "used" if used else f"not used: {first.nvcc} ({first.how}) comes first"
    facts = {"path": str(kit.nvcc), "found_by": kit.how, "release": kit.release, "used": used}
    needed = _BUILD if used else ()
    if kit.fault:
        fix = "Point CUDA_HOME to a complete toolkit, or take this one off PATH."
        what = f"{kit.nvcc} ({kit.how}): {kit.fault}; {reason}"
        return Finding("nvcc", "problem", what, fix, needed, facts)
    what = f"{kit.nvcc} ({kit.how}), release {kit.release}; {reason}"
    if used and not (kit.home / "include").is_dir():
        fix = "Install the toolkit's development files, or point CUDA_HOME to a complete toolkit."
        return Finding("nvcc", "problem", f"{what}; {kit.home} has no include/", fix, needed, facts)
    return Finding("nvcc", "ok", what, needed_for=needed, facts=facts)


def probe_match(toolkits: list[Toolkit], install: TorchInstall | None) -> list[Finding]:
    """Does the toolkit in use fit the CUDA that torch is built with? The major number must."""
    subject = "nvcc and torch"
    if install is None:
        return []  # said by the finding on torch
    if not install.facts.cuda:
        what = f"torch {install.version} is built without CUDA"
        fix = "To run on an NVIDIA GPU install a CUDA build of torch."
        return [Finding(subject, "missing", what, fix, _RUN)]
    if not toolkits or toolkits[0].fault:
        return []
    kit, torch = toolkits[0], install.facts
    both = f"{kit.nvcc} is release {kit.release}, torch in {torch.root} is built with CUDA {torch.cuda}"
    if _major(kit.release) != _major(torch.cuda):
        fitting = [
            str(other.home) for other in toolkits if _major(other.release) == _major(torch.cuda)
        ]
        fix = f"Set CUDA_HOME to {fitting[0] if fitting else f'a CUDA {torch.cuda} toolkit'}."
        return [Finding(subject, "problem", f"major numbers differ: {both}", fix, _BUILD)]
    note = "" if kit.release == torch.cuda else " (minor numbers differ, which is allowed)"
    return [Finding(subject, "ok", f"{both}{note}", needed_for=_BUILD)]


def _major(release: str) -> str:
    return release.split(".", maxsplit=1)[0]


def find_host_compiler(machine: Machine) -> HostCompiler | None:
    """The compiler that nvcc passes host code to: what NVCC_CCBIN names, else the host's own."""
    named = machine.environment.get("NVCC_CCBIN")
    changed = {**machine.environment, "CXX": named} if named else machine.environment
    return find_compiler(replace(machine, environment=changed))[0]


def probe_host_limit(toolkits: list[Toolkit], compiler: HostCompiler | None) -> list[Finding]:
    """Does nvcc accept the host compiler? Better said now than after minutes of compiling."""
    if not toolkits or toolkits[0].fault or compiler is None or compiler.family != "gcc":
        return []
    kit = toolkits[0]
    newest, source = newest_gcc(kit)
    subject = "nvcc and g++"
    if newest is None:
        what = f"no limit is known for release {kit.release}"
        return [Finding(subject, "not checked", what)]
    accepts = f"release {kit.release} accepts gcc up to {newest} ({source})"
    both = f"{accepts}; {compiler.name} is {compiler.version}"
    status: Status = "ok" if compiler.major <= newest else "problem"
    fix = "" if status == "ok" else f"Install g++-{newest} and set NVCC_CCBIN=g++-{newest}."
    return [Finding(subject, status, both, fix, _BUILD)]


def newest_gcc(kit: Toolkit) -> tuple[int | None, str]:
    """The newest gcc that ``kit`` accepts, and where that is written."""
    if text := _header(kit):
        match = re.search(r"gcc versions later than (\d+) are not supported", text)
        if match:
            return int(match[1]), "host_config.h"
    return NEWEST_GCC.get(kit.release), "table of releases"


def _header(kit: Toolkit) -> str:
    """The text of the toolkit's ``host_config.h``; empty when it is not there."""
    path = kit.home / "include" / "crt" / "host_config.h"
    return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""


def probe_devices(machine: Machine, install: TorchInstall | None, *, quick: bool) -> Finding:
    """Which NVIDIA GPUs are there, by the driver's tool and by torch?"""
    subject = "NVIDIA GPU"
    smi = machine.which("nvidia-smi")
    if smi is None:
        return Finding(subject, "missing", "nvidia-smi is not on PATH: no driver", needed_for=_RUN)
    answer = machine.ask(
        [smi, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    )
    if not answer.ok or not answer.text:
        fix = "Check the driver (dmesg), and in a container that the GPU is passed in."
        return Finding(subject, "problem", answer.why_not or "nvidia-smi lists none", fix, _RUN)
    names = answer.text.splitlines()
    seen = install.seen.get("devices", []) if install and install.facts.cuda else []
    facts = {"nvidia_smi": names, "torch": seen}
    if not quick and install and install.facts.cuda and not seen:
        what = f"{'; '.join(names)}; but torch sees none"
        fix = "See `python -c 'import torch; torch.cuda.init()'`; is the driver too old for this CUDA?"
        return Finding(subject, "problem", what, fix, _RUN, facts)
    return Finding(subject, "ok", "; ".join(names), needed_for=_RUN, facts=facts)
