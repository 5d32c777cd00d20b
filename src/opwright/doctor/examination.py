"""The whole examination, in the order in which a reader wants it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property

from opwright.build.execute import ninja_candidates
from opwright.doctor import (
    compiler,
    cuda,
    emulation,
    hip,
    hip_compile,
    npu,
    python,
    resources,
    store,
    torch_install,
)
from opwright.doctor.finding import TARGETS, Diagnosis, Finding
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall
from opwright.errors import OpwrightError
from opwright.log import log
from opwright.toolchain.registry import TOOLCHAINS


def examine(machine: Machine, *, quick: bool) -> Diagnosis:
    """Look at everything; with ``quick`` torch is not imported and nothing is compiled.

    Never raises for what it finds: a tool that is missing, broken or silent is a finding.
    """
    found = []
    for name, section in _SECTIONS.items():
        for finding in _guarded(name, section, _Visit(machine, quick)):
            log("doctor.finding", f"{finding.subject}: {finding.what}", status=finding.status)
            found.append(finding)
    return Diagnosis(quick, tuple(found))


class _Visit:
    """One examination: what every section is given, and the torch that is looked at once."""

    def __init__(self, machine: Machine, quick: bool) -> None:
        self.machine, self.quick = machine, quick

    @cached_property
    def torch(self) -> tuple[TorchInstall | None, list[Finding]]:
        install, finding = torch_install.find_install()
        if install is None:
            return None, [finding]
        imported, seen = torch_install.probe_import(self.machine, quick=self.quick)
        return replace(install, seen=seen), [finding, imported]


def _guarded(name: str, section: Section, visit: _Visit) -> Iterator[Finding]:
    """The findings of a section; what the system refuses (a folder that cannot be read) is one more."""
    try:
        yield from section(visit)
    except (OSError, OpwrightError) as error:
        fix = "Look at that file or folder; the rest of this section was not looked at."
        yield Finding(name, "problem", f"could not be examined: {error}", fix)


def _python(visit: _Visit) -> Iterator[Finding]:
    yield python.probe_python()
    yield python.probe_headers()
    yield from visit.torch[1]


def _compiler(visit: _Visit) -> Iterator[Finding]:
    host, why_not = compiler.find_compiler(visit.machine)
    yield compiler.probe_compiler(host, why_not)
    yield compiler.probe_compiles(visit.machine, host, quick=visit.quick)
    yield compiler.probe_ninja(visit.machine, ninja_candidates(visit.machine.environment))
    yield resources.probe_cores(visit.machine)
    yield resources.probe_memory()
    yield resources.probe_jobs(visit.machine)


def _store(visit: _Visit) -> Iterator[Finding]:
    finding, place = store.probe_place(visit.machine)
    yield finding
    yield from store.probe_locks(place)
    yield from store.probe_health(place, quick=visit.quick)


def _emulation(visit: _Visit) -> Iterator[Finding]:
    yield emulation.probe_processor()
    yield emulation.probe_lines(visit.machine)
    yield from emulation.probe_torch(visit.torch[0])
    yield emulation.probe_protection(visit.machine)


def _cuda(visit: _Visit) -> Iterator[Finding]:
    install = visit.torch[0]
    toolkits = cuda.find_toolkits(visit.machine)
    yield from cuda.probe_toolkits(toolkits, install)
    yield from cuda.probe_match(toolkits, install)
    yield from cuda.probe_host_limit(toolkits, cuda.find_host_compiler(visit.machine))
    yield cuda.probe_devices(visit.machine, install, quick=visit.quick)


def _hip(visit: _Visit) -> Iterator[Finding]:
    install = visit.torch[0]
    findings, effect = hip.probe_dtk(visit.machine, hip.find_dtk(visit.machine))
    yield from findings
    machine = hip.with_effect(visit.machine, effect)
    finding, path = hip.probe_compilers(machine)
    yield finding
    if path is not None:
        yield hip_compile.probe_compilable(machine, quick=visit.quick)
    finding, architectures = hip.probe_devices(machine, install)
    yield finding
    yield from hip.probe_architectures(machine, path, architectures, quick=visit.quick)
    yield from hip.probe_torch(install, effect)


def _npu(visit: _Visit) -> Iterator[Finding]:
    yield npu.probe_cann(visit.machine)
    yield npu.probe_torch_npu(visit.torch[0])
    yield npu.probe_devices(visit.machine)


def _targets(visit: _Visit) -> Iterator[Finding]:
    """Tools alone build nothing: this version of Opwright also has to know how."""
    for target in TARGETS:
        if target not in TOOLCHAINS:
            what = f"this version of Opwright has no toolchain for {target}"
            yield Finding(f"target {target}", "missing", what, needed_for=(f"build {target}",))


Section = Callable[[_Visit], Iterator[Finding]]
_SECTIONS: dict[str, Section] = {
    "Python": _python,
    "C++ compiler": _compiler,
    "store": _store,
    "emulation": _emulation,
    "CUDA": _cuda,
    "HIP": _hip,
    "Ascend": _npu,
    "targets": _targets,
}
