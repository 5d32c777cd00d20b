"""The whole examination, in the order in which a reader wants it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from opwright.build.execute import ninja_candidates
from opwright.doctor import compiler, cuda, hip, npu, python, resources, store, torch_install
from opwright.doctor.finding import TARGETS, Diagnosis, Finding
from opwright.doctor.machine import Machine
from opwright.doctor.torch_install import TorchInstall
from opwright.log import log
from opwright.toolchain.registry import TOOLCHAINS


def examine(machine: Machine, *, quick: bool) -> Diagnosis:
    """Look at everything; with ``quick`` torch is not imported and nothing is compiled.

    Never raises for what it finds: a tool that is missing, broken or silent is a finding.
    """
    found = []
    for finding in _findings(machine, quick=quick):
        log("doctor.finding", f"{finding.subject}: {finding.what}", status=finding.status)
        found.append(finding)
    return Diagnosis(quick, tuple(found))


def _findings(machine: Machine, *, quick: bool) -> Iterator[Finding]:
    yield python.probe_python()
    yield python.probe_headers()
    install, finding = torch_install.find_install()
    yield finding
    if install is not None:
        finding, seen = torch_install.probe_import(machine, quick=quick)
        install = replace(install, seen=seen)
        yield finding
    host, why_not = compiler.find_compiler(machine)
    yield compiler.probe_compiler(host, why_not)
    yield compiler.probe_compiles(machine, host, quick=quick)
    yield compiler.probe_ninja(machine, ninja_candidates(machine.environment))
    yield from _store(machine)
    yield resources.probe_cores(machine)
    yield resources.probe_memory()
    yield from _cuda(machine, install, quick=quick)
    yield from _hip(machine, install, quick=quick)
    yield npu.probe_cann(machine)
    yield npu.probe_torch_npu(install)
    yield npu.probe_devices(machine)
    yield from _unsupported()


def _store(machine: Machine) -> Iterator[Finding]:
    finding, place = store.probe_place(machine)
    yield finding
    yield from store.probe_locks(place)
    yield from store.probe_health(place)


def _cuda(machine: Machine, install: TorchInstall | None, *, quick: bool) -> Iterator[Finding]:
    toolkits = cuda.find_toolkits(machine)
    yield from cuda.probe_toolkits(toolkits, install)
    yield from cuda.probe_match(toolkits, install)
    yield from cuda.probe_host_limit(toolkits, cuda.find_host_compiler(machine))
    yield cuda.probe_devices(machine, install, quick=quick)


def _hip(machine: Machine, install: TorchInstall | None, *, quick: bool) -> Iterator[Finding]:
    findings, effect = hip.probe_dtk(machine, hip.find_dtk(machine))
    yield from findings
    machine = hip.with_effect(machine, effect)
    finding, path = hip.probe_compilers(machine)
    yield finding
    finding, architectures = hip.probe_devices(machine, install)
    yield finding
    yield from hip.probe_architectures(machine, path, architectures, quick=quick)
    yield hip.probe_torch(install, effect)


def _unsupported() -> Iterator[Finding]:
    """Tools alone build nothing: this version of Opwright also has to know how."""
    for target in TARGETS:
        if target not in TOOLCHAINS:
            what = f"this version of Opwright has no toolchain for {target}"
            yield Finding(f"target {target}", "missing", what, needed_for=(f"build {target}",))
