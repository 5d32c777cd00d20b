"""From an operator description and a target to the build that makes its library."""

from __future__ import annotations

from pathlib import Path

from opwright.errors import SpecError, ToolchainError
from opwright.files import why_no_file
from opwright.generate.binding_source import (
    BINDINGS,
    GENERATOR_VERSION,
    binding_text,
    kernel_advice,
    kernel_text,
)
from opwright.generate.signature import declaration
from opwright.spec.naming import nearest
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.torch_facts import TorchFacts

STABLE_SINCE = (2, 10)
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
    sources = _sources(spec, target)
    # Named as no source of a user's is: a quoted include looks beside the file that has it first.
    units = [Unit("binding__.cpp", text=binding_text(spec, chosen))]
    kernel = kernel_text(spec, sources[0])
    units.append(Unit("kernel__.cpp", text=kernel, advice=kernel_advice(spec, sources[0])))
    units += [Unit(name, path=spec.folder / name) for name in sources[1:]]
    include = Path(__file__).parent.parent / "include"
    return BuildRequest(
        name=spec.name,
        target=_resolved(target),
        root=spec.folder,
        units=tuple(units),
        include_dirs=(
            spec.folder,
            *(spec.folder / name for name in spec.include_dirs),
            include,
            *(torch.include_dirs if chosen == "aten" else ()),
        ),
        named_roots=(("opwright", include), ("torch", torch.root)),
        compile_flags=(*_OPENMP[chosen], "-O3", *spec.compile_flags),
        library_dirs=(torch.library_dir,),
        libraries=("torch_cpu", "c10", *(_openmp(torch) if chosen == "aten" else ())),
        identity=(
            ("generator", GENERATOR_VERSION),
            ("binding", chosen),
            *_abi(torch, chosen),
        ),
        facts={
            "kind": "generated",
            "binding": chosen,
            "schema": spec.schema.text,
            "signature": declaration(spec),
            "dtypes": list(spec.dtypes),
        },
    )


def _abi(torch: TorchFacts, binding: str) -> tuple[tuple[str, str], ...]:
    """What of torch decides the binary: nothing of one torch, where the C ABI is stable."""
    if binding == "stable":
        return (("torch", "stable ABI of 2.10"),)
    return (("torch", torch.version), ("cxx11_abi", str(torch.cxx11_abi)))


def _openmp(torch: TorchFacts) -> tuple[str, ...]:
    """The OpenMP library that torch itself uses: with a second one there would be two sets of threads."""
    bundled = sorted(torch.library_dir.glob("libgomp*.so*"))
    return (f":{bundled[0].name}",) if bundled else ("gomp",)


def choose_binding(torch: TorchFacts, asked: str | None) -> str:
    """The binding that is asked for, or the stable one wherever this torch has it."""
    if asked is not None and asked not in BINDINGS:
        raise ToolchainError(
            f"unknown binding {asked!r}", hint=f"Bindings are: {', '.join(BINDINGS)}."
        )
    has_stable = torch.release >= STABLE_SINCE
    if asked == "stable" and not has_stable:
        raise ToolchainError(
            f"torch {torch.version} has no stable C ABI for operators",
            hint="Use --binding aten, or torch 2.10 or later.",
        )
    return asked or ("stable" if has_stable else "aten")


def _resolved(target: Target) -> Target:
    """Kernels for this machine's CPU use all of it, as PyTorch's own do."""
    return Target("cpu", "native") if target == Target("cpu") else target


def _sources(spec: OperatorSpec, target: Target) -> tuple[str, ...]:
    if target.kind not in spec.sources:
        raise SpecError(
            f"{spec.location}: {spec.name} has no source for target {target}",
            hint=f"It has sources for: {', '.join(spec.sources) or 'none'}. "
            f'Add sources={{"{target.kind}": "{spec.name}.cpp"}}, or choose another target.',
        )
    names = spec.sources[target.kind]
    for name in names:
        if why := why_no_file(spec.folder / name):
            beside = [path.name for path in spec.folder.iterdir() if path.is_file()]
            raise SpecError(
                f"{spec.location}: field 'sources': {spec.folder / name} {why}",
                hint=f"{nearest(name, beside)} Names are relative to the folder of the description.",
            )
    return names
