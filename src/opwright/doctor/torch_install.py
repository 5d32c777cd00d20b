"""Which torch is installed, read from its files; whether it imports, tried in a child process."""

from __future__ import annotations

import importlib.metadata
import json
from dataclasses import dataclass, field
from typing import Any

from opwright.doctor.finding import TARGETS, Finding
from opwright.doctor.machine import Machine
from opwright.errors import ToolchainError
from opwright.generate.torch_abi import STABLE_SINCE
from opwright.toolchain.torch_facts import TorchFacts, torch_facts

OLDEST = (2, 5)
_FOR_RUN = tuple(f"run {target}" for target in TARGETS)
_FOR_ALL = (*(f"build {target}" for target in TARGETS), *_FOR_RUN)

# Run in a child: a torch that crashes while it is imported must not take the doctor along.
_IMPORT = """
import json, torch
devices = []
if torch.cuda.is_available():
    for index in range(torch.cuda.device_count()):
        facts = torch.cuda.get_device_properties(index)
        devices.append({"name": facts.name, "memory_bytes": facts.total_memory,
                        "architecture": getattr(facts, "gcnArchName", "") or
                        "sm_%d%d" % torch.cuda.get_device_capability(index)})
npu = getattr(torch, "npu", None)
npus = npu.device_count() if npu is not None and npu.is_available() else 0
print("\\n" + json.dumps({"devices": devices, "npus": npus, "threads": torch.get_num_threads()}))
"""


@dataclass(frozen=True)
class TorchInstall:
    """The installed torch: ``facts`` as its files have them, and the version of torch-npu beside it.

    ``seen`` is what a child process saw after importing it; empty when that was not tried or failed.
    """

    facts: TorchFacts
    npu_version: str | None = None
    seen: dict[str, Any] = field(default_factory=dict)

    @property
    def version(self) -> str:
        """The whole version, such as ``2.13.0+cpu``."""
        return self.facts.version

    @property
    def platform(self) -> str:
        """``CUDA 12.8``, ``HIP 6.3``, or ``CPU only``."""
        if self.facts.hip:
            return f"HIP {self.facts.hip}"
        return f"CUDA {self.facts.cuda}" if self.facts.cuda else "CPU only"


def find_install() -> tuple[TorchInstall | None, Finding]:
    """Is there a torch, is it new enough, which binding does it get? Torch is not imported."""
    try:
        install = TorchInstall(torch_facts(), _distribution_version("torch-npu"))
    except ToolchainError as error:
        return None, Finding("torch", "missing", error.what, error.hint, _FOR_ALL)
    return install, probe_install(install)


def probe_install(install: TorchInstall) -> Finding:
    """Is this torch new enough, and which binding does it get?"""
    facts = install.facts
    binding = "stable" if facts.release >= STABLE_SINCE else "aten"
    abi = "C++11 ABI" if facts.cxx11_abi else "pre-C++11 ABI"
    what = f"{facts.version} ({install.platform}, {abi}); generated bindings: {binding}"
    known = {
        "version": facts.version,
        "folder": str(facts.root),
        "cuda": facts.cuda,
        "hip": facts.hip,
        "cxx11_abi": facts.cxx11_abi,
        "binding": binding,
    }
    if facts.release < OLDEST:
        return Finding(
            "torch", "problem", f"{what}; too old", "Install torch >= 2.5.", _FOR_ALL, known
        )
    return Finding("torch", "ok", what, needed_for=_FOR_ALL, facts=known)


def _distribution_version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def probe_import(machine: Machine, *, quick: bool) -> tuple[Finding, dict[str, Any]]:
    """Does ``import torch`` work, and which devices does it see then?"""
    if quick:
        return Finding(
            "import torch", "not checked", "left out by --quick", needed_for=_FOR_RUN
        ), {}
    answer = machine.ask([machine.python, "-c", _IMPORT], timeout_seconds=120)
    if not answer.ok:
        fix = "Run `python -c 'import torch'` and read its message; reinstalling torch often helps."
        return Finding("import torch", "problem", answer.why_not, fix, _FOR_RUN), {}
    seen = _last_json(answer.text)
    threads = seen.get("threads", "?")
    what = f"works, {threads} threads"
    return Finding("import torch", "ok", what, needed_for=_FOR_RUN, facts=seen), seen


def _last_json(text: str) -> dict[str, Any]:
    """The one line of JSON among whatever else an import prints."""
    for line in reversed(text.splitlines()):
        if line.startswith("{"):
            found: dict[str, Any] = json.loads(line)
            return found
    return {}
