"""HIP: compilers for ROCm and Hygon's DTK, the architectures that they take, and devices."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from opwright.doctor.finding import Finding
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall
from opwright.toolchain.vendor_script import ScriptEffect, source_script

_BUILD, _RUN = ("build hip",), ("run hip",)
_FIX = (
    "For the hip target install ROCm's hipcc (Debian: apt-get install hipcc) or a clang++ with the "
    "amdgcn target; on a Hygon DCU install DTK, or set OPWRIGHT_DTK_ROOT to its folder."
)
_ASKED_FOR = re.compile(r"gfx[0-9a-f]+")
_KERNEL = "__attribute__((global)) void nothing() {}\n"


def find_dtk(machine: Machine) -> list[Path]:
    """The environment scripts of every DTK: OPWRIGHT_DTK_ROOT, else ``/opt/dtk*``; the newest first."""
    if root := machine.folder("OPWRIGHT_DTK_ROOT"):
        return [root / "env.sh"]
    return machine.usual("opt/dtk*/env.sh")[::-1]


def probe_dtk(machine: Machine, scripts: list[Path]) -> tuple[list[Finding], ScriptEffect | None]:
    """Source the first script; the others are named. The effect is what HIP tools are run with."""
    if not scripts:
        what = "no /opt/dtk*/env.sh, and OPWRIGHT_DTK_ROOT is not set"
        return [Finding("DTK", "missing", what, "Needed for Hygon DCUs only.")], None
    script = scripts[0]
    if not script.is_file():
        fix = "OPWRIGHT_DTK_ROOT has to name the folder that holds env.sh."
        return [Finding("DTK", "problem", f"{script} is not there", fix)], None
    effect = source_script(script, machine.environment)
    facts = {"script": str(script), "changed": effect.changed, "removed": list(effect.removed)}
    names = ", ".join(sorted(effect.changed)) or "nothing"
    what = f"{script} sets {names}"
    if effect.warning:
        what = f"{what}; warning: {effect.warning}"
        fix = "What it set before that is used. Look at that line if a compiler is not found."
        finding = Finding("DTK", "problem", what, fix, facts=facts)
    else:
        finding = Finding("DTK", "ok", what, facts=facts)
    rest = [
        Finding("DTK", "ok", f"{other}: not used, {script} comes first") for other in scripts[1:]
    ]
    return [finding, *rest], effect


def with_effect(machine: Machine, effect: ScriptEffect | None) -> Machine:
    """The machine as it is after DTK's script, so that its hipcc is on PATH."""
    if effect is None:
        return machine
    return Machine(effect.applied_to(machine.environment), machine.root, machine.python)


def find_compilers(machine: Machine) -> list[Path]:
    """hipcc and DTK's dcc, then every clang++: from ROCM_HOME, ROCM_PATH, PATH and ``/opt/rocm*``."""
    homes = [machine.folder(name) for name in ("ROCM_HOME", "ROCM_PATH", "HIP_PATH")]
    folders = [home / "bin" for home in homes if home] + machine.search_path()
    folders += [home / "bin" for home in machine.usual("opt/rocm*")[::-1]]
    found = [folder / name for name in ("hipcc", "dcc") for folder in folders]
    found += [path for folder in folders for path in sorted(folder.glob("clang++*"), reverse=True)]
    found = [
        path
        for path in found
        if path.is_file() and re.fullmatch(r"hipcc|dcc|clang\+\+(-\d+)?", path.name)
    ]
    return list({path.resolve(): path for path in reversed(found)}.values())[::-1]


def probe_compilers(machine: Machine) -> tuple[Finding, Path | None]:
    """The first compiler that can compile for AMD GPUs, and why those before it cannot."""
    refused = []
    for path in find_compilers(machine):
        is_clang = path.name.startswith("clang")
        answer = machine.ask([path, "--print-targets" if is_clang else "--version"])
        if not answer.ok:
            refused.append(answer.why_not)
        elif is_clang and "amdgcn" not in answer.text:
            refused.append(f"{path} has no amdgcn target")
        else:
            version = "amdgcn target" if is_clang else _version(answer.text)
            what = "; ".join([f"{path}, {version}", *(f"not used: {why}" for why in refused)])
            facts = {"path": str(path), "version": version, "refused": refused}
            return Finding("HIP compiler", "ok", what, needed_for=_BUILD, facts=facts), path
    if refused:
        what = "; ".join(refused)
        return Finding("HIP compiler", "problem", what, _FIX, _BUILD, {"refused": refused}), None
    what = "no hipcc, dcc or clang++ with amdgcn: not in ROCM_HOME or ROCM_PATH, on PATH or in /opt/rocm*"
    return Finding("HIP compiler", "missing", what, _FIX, _BUILD), None


def _version(text: str) -> str:
    match = re.search(r"HIP version:\s*(\S+)", text)
    return f"HIP {match[1]}" if match else text.splitlines()[0] if text else "version not said"


def probe_devices(machine: Machine, install: TorchInstall | None) -> tuple[Finding, list[str]]:
    """Which AMD GPUs or DCUs are there? The architectures are without their feature suffix."""
    tools = [name for name in ("rocminfo", "hy-smi", "rocm-smi") if machine.which(name)]
    if not tools:
        what = "none of rocminfo, hy-smi, rocm-smi is on PATH: no driver"
        return Finding("AMD GPU or DCU", "missing", what, needed_for=_RUN), []
    answer = machine.ask([tools[0]])
    if not answer.ok:
        fix = "Check the kernel driver (ls /dev/kfd) and that this user is in its group."
        return Finding("AMD GPU or DCU", "problem", answer.why_not, fix, _RUN), []
    found = list(dict.fromkeys(_ASKED_FOR.findall(answer.text)))
    facts = {
        "architectures": found,
        "asked": tools[0],
        "torch": install.seen.get("devices") if install else None,
    }
    if tools[0] == "rocminfo" and not found:
        fix = "In a container, pass in /dev/kfd and /dev/dri."
        return Finding(
            "AMD GPU or DCU", "problem", "rocminfo lists no gfx device", fix, _RUN, facts
        ), []
    what = f"{', '.join(found) or 'found'} (asked {tools[0]})"
    return Finding("AMD GPU or DCU", "ok", what, needed_for=_RUN, facts=facts), found


def probe_architectures(
    machine: Machine, compiler: Path | None, found: list[str], *, quick: bool
) -> list[Finding]:
    """Does the compiler take the architectures of the devices that are here?"""
    if compiler is None or not found:
        return []
    subject = "HIP architecture"
    if quick:
        return [Finding(subject, "not checked", "left out by --quick", needed_for=_BUILD)]
    return [_accepts(machine, compiler, architecture, subject) for architecture in found]


def _accepts(machine: Machine, compiler: Path, architecture: str, subject: str) -> Finding:
    with tempfile.TemporaryDirectory(prefix="opwright-doctor-") as folder:
        source = Path(folder, "nothing.hip")
        source.write_text(_KERNEL, encoding="utf-8")
        language = ["-x", "hip", "-nogpulib", "-nogpuinc", f"--offload-arch={architecture}"]
        output = Path(folder, "nothing.o")
        answer = machine.ask([compiler, *language, "-c", source, "-o", output], timeout_seconds=120)
    if answer.ok:
        what = f"{compiler.name} compiles for {architecture}"
        return Finding(subject, "ok", what, needed_for=_BUILD)
    fix = f"Use the compiler that came with the driver of {architecture}: DTK for a DCU, ROCm for AMD."
    what = f"the device is {architecture}, {answer.why_not}"
    return Finding(subject, "problem", what, fix, _BUILD)


def probe_torch(install: TorchInstall | None, effect: ScriptEffect | None) -> list[Finding]:
    """Is torch a HIP build? That, and not its device string (which is ``cuda``), tells ROCm from CUDA."""
    if install is None:
        return []  # said by the finding on torch
    subject = "torch for HIP"
    if not install.facts.hip:
        what = f"torch {install.version} is built without HIP"
        fix = "To run on an AMD GPU or a DCU install the vendor's build of torch."
        return [Finding(subject, "missing", what, fix, _RUN)]
    vendor = "Hygon DTK" if effect else "ROCm"
    what = f"torch {install.version}, HIP {install.facts.hip}, runs on {vendor}"
    return [Finding(subject, "ok", what, needed_for=_RUN)]
