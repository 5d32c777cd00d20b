"""The kernel's part of a request: its sources as units, and what compiling them for the target takes."""

from __future__ import annotations

import re
from pathlib import Path

from opwright.errors import SpecError
from opwright.files import why_no_file
from opwright.frozen import Frozen
from opwright.generate.binding_source import kernel_advice, kernel_text
from opwright.spec.naming import nearest
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import Unit
from opwright.spec.target import Target

# Named as no source of a user's is: a quoted include looks beside the file that has it first.
KERNEL_UNIT = "kernel__.cpp"
# Kind of target -> what the compiler takes a unit of device code by.
DEVICE_SUFFIXES = {"cuda": ".cu", "hip": ".hip"}
# nvcc takes half as long again with it, so only who writes such lambdas pays for it. One in a header
# of the user's needs the flag in ``compile_flags``; nvcc says so.
_EXTENDED_LAMBDA = ("--extended-lambda",)
_DEVICE_LAMBDA = re.compile(r"\]\s*(\([^)]*\)\s*)?(__host__\s+)?__device__")
# HIP's headers over CUDA's runtime.
HIP_OVER_CUDA = Path(__file__).parent.parent / "include" / "hip_over_cuda"


class Kernels(Frozen):
    """What the kernel sources add to a request."""

    units: tuple[Unit, ...]
    include_dirs: tuple[Path, ...] = ()
    named_roots: tuple[tuple[str, Path], ...] = ()
    defines: tuple[tuple[str, str], ...] = ()
    optimisation: str = "-O3"
    compile_flags: tuple[str, ...] = ()


def own_kernels(spec: OperatorSpec, target: Target, names: tuple[str, ...]) -> Kernels:
    """The sources as they are: the first is included by the unit that instantiates the kernel."""
    kernel = kernel_text(spec, target, f'#include "{names[0]}"')
    advice = kernel_advice(spec, target, names[0])
    unit = Path(KERNEL_UNIT).with_suffix(DEVICE_SUFFIXES.get(target.kind, ".cpp")).name
    others = (Unit(name, path=spec.folder / name) for name in names[1:])
    units = (Unit(unit, text=kernel, advice=advice), *others)
    flags = _EXTENDED_LAMBDA if target.kind == "cuda" and _has_device_lambdas(spec, names) else ()
    if (target.kind, target.source) == ("cuda", "hip"):
        return Kernels(
            units, (HIP_OVER_CUDA,), defines=(("OPWRIGHT_HIP_OVER_CUDA", "1"),), compile_flags=flags
        )
    return Kernels(
        units, defines=(("OPWRIGHT_HIP", "1"),) if target.kind == "hip" else (), compile_flags=flags
    )


def _has_device_lambdas(spec: OperatorSpec, names: tuple[str, ...]) -> bool:
    texts = ((spec.folder / name).read_text(errors="replace") for name in names)
    return any(_DEVICE_LAMBDA.search(text) for text in texts)


def sources_of(spec: OperatorSpec, target: Target) -> tuple[str, tuple[str, ...]]:
    """As `OperatorSpec.sources_for`; raises `SpecError` where there are none, or one is missing."""
    spelling, names = spec.sources_for(target)
    if not names:
        raise SpecError(
            f"{spec.location}: {spec.name} has no source for target {target}",
            hint=f"It has sources for: {', '.join(spec.sources) or 'none'}. "
            f"Add {_example(spec, target)}, or choose another target.",
        )
    for name in names:
        if why := why_no_file(spec.folder / name):
            beside = [path.name for path in spec.folder.iterdir() if path.is_file()]
            raise SpecError(
                f"{spec.location}: field 'sources': {spec.folder / name} {why}",
                hint=f"{nearest(name, beside)} Names are relative to the folder of the description.",
            )
    return spelling, names


def _example(spec: OperatorSpec, target: Target) -> str:
    kind = "cuda" if target.kind in {"emulated", "simulated"} else target.kind
    suffix = {"cpu": "cpp", "cuda": "cu", "hip": "hip"}.get(kind, "cpp")
    return f'sources={{"{kind}": "{spec.name}.{suffix}"}}'
