"""From an operator description and a target to the build that makes its library."""

from __future__ import annotations

from pathlib import Path

from opwright.generate.binding_source import GENERATOR_VERSION, binding_text
from opwright.generate.kernels import Kernels, own_kernels, sources_of
from opwright.generate.signature import declaration
from opwright.generate.stand_in import DEVICE_LIBRARIES
from opwright.generate.torch_abi import abi_identity, choose_binding, openmp_libraries
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import TorchFacts

BINDING_UNIT = "binding__.cpp"
# at::parallel_for is a template: without OpenMP it would be compiled to a plain loop.
_OPENMP = {"stable": (), "aten": ("-fopenmp",)}


def generated_request(
    spec: OperatorSpec, target: Target, torch: TorchFacts, *, binding: str | None = None
) -> BuildRequest:
    """The build of a generated binding with the operator's kernels for ``target``.

    ``binding`` is ``"stable"`` or ``"aten"``; by default stable wherever this torch has it.
    Raises `SpecError` when the description has no source for the target or a source is missing,
    `ToolchainError` when this torch does not have the binding that is asked for.
    """
    chosen = choose_binding(torch, binding)
    kernels = _kernels(spec, target)
    include = Path(__file__).parent.parent / "include"
    return BuildRequest(
        name=spec.name,
        target=_resolved(target),
        root=spec.folder,
        units=(Unit(BINDING_UNIT, text=binding_text(spec, target, chosen)), *kernels.units),
        include_dirs=(
            spec.folder,
            *(spec.folder / name for name in spec.include_dirs),
            *kernels.include_dirs,
            include,
            *(torch.include_dirs if chosen == "aten" else ()),
        ),
        named_roots=(("opwright", include), ("torch", torch.root), *kernels.named_roots),
        defines=kernels.defines,
        compile_flags=(
            *(*_OPENMP[chosen], kernels.optimisation),
            *kernels.compile_flags,
            *spec.compile_flags,
        ),
        library_dirs=(torch.library_dir,),
        libraries=_libraries(target, torch, chosen),
        identity=(
            ("generator", GENERATOR_VERSION),
            ("binding", chosen),
            *abi_identity(torch, chosen),
        ),
        facts={
            "kind": "generated",
            "binding": chosen,
            "schema": spec.schema.text,
            "signature": declaration(spec, target),
            "dtypes": list(spec.dtypes),
            "architecture": target.architecture,
        },
    )


def _libraries(target: Target, torch: TorchFacts, binding: str) -> tuple[str, ...]:
    """torch's own for the target's device, and for the host."""
    device = (DEVICE_LIBRARIES[target.kind],) if target.kind in DEVICE_LIBRARIES else ()
    return (*device, "torch_cpu", "c10", *(openmp_libraries(torch) if binding == "aten" else ()))


def _kernels(spec: OperatorSpec, target: Target) -> Kernels:
    spelling, names = sources_of(spec, target)
    if target.kind in {"emulated", "simulated"}:
        from opwright.generate.emulated import device_kernels  # few builds translate

        return device_kernels(spec, target, spelling, names)
    return own_kernels(spec, target, names)


def _resolved(target: Target) -> Target:
    """Kernels for this machine's CPU use all of it, as PyTorch's own do."""
    return Target("cpu", "native") if target == Target("cpu") else target
