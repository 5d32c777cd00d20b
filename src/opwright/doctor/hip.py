"""HIP: compilers for ROCm and Hygon's DTK, the architectures that they take, and devices."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from opwright.doctor.finding import Finding
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall
from opwright.errors import ToolchainError
from opwright.toolchain import hip_compilers
from opwright.toolchain.vendor_script import ScriptEffect, source_script

_BUILD, _RUN = ("build hip",), ("run hip",)
_FIX = f"For the hip target: {hip_compilers.INSTALL}"
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


def probe_compilers(machine: Machine) -> tuple[Finding, Path | None]:
    """The compiler that builds use, and why those before it cannot be used."""
    try:
        named = hip_compilers.named_compiler(machine.environment)
    except ToolchainError as error:
        return Finding("HIP compiler", "problem", error.what, error.hint, _BUILD), None
    listed = hip_compilers.candidates(machine.environment, machine.root)
    refused = []
    for path in (Path(named[0]),) if named else listed:
        version, why_not = _look_at(machine, path)
        if why_not:
            refused.append(why_not)
            continue
        what = "; ".join([f"{path}, {version}", *(f"not used: {why}" for why in refused)])
        facts = {"path": str(path), "version": version, "refused": refused}
        return Finding("HIP compiler", "ok", what, needed_for=_BUILD, facts=facts), path
    if refused:
        what = "; ".join(refused)
        return Finding("HIP compiler", "problem", what, _FIX, _BUILD, {"refused": refused}), None
    what = "no hipcc or clang++: not in ROCM_HOME or ROCM_PATH, on PATH or in /opt/rocm*"
    return Finding("HIP compiler", "missing", what, _FIX, _BUILD), None


def _look_at(machine: Machine, compiler: Path) -> tuple[str, str]:
    """What the compiler is, and why it compiles for no AMD GPU, if it does not."""
    if why := hip_compilers.why_unfit(compiler):
        return "", f"{compiler}: {why}"
    is_clang = hip_compilers.is_clang(compiler)
    answer = machine.ask([compiler, "--print-targets" if is_clang else "--version"])
    if not answer.ok:
        return "", answer.why_not
    if is_clang and "amdgcn" not in answer.text:
        return "", f"{compiler} has no amdgcn target"
    return ("amdgcn target" if is_clang else _version(answer.text)), ""


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
        fix = (
            "To build and run for an AMD GPU or a DCU install the vendor's build of torch; kernels "
            "alone are compiled without: opwright build --compile-only."
        )
        return [Finding(subject, "missing", what, fix, (*_BUILD, *_RUN))]
    vendor = "Hygon DTK" if effect else "ROCm"
    what = f"torch {install.version}, HIP {install.facts.hip}, runs on {vendor}"
    return [Finding(subject, "ok", what, needed_for=(*_BUILD, *_RUN))]
