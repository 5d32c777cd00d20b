"""Builds for AMD devices where there is neither a device nor a torch for one: device code alone."""

from __future__ import annotations

from pathlib import Path

from opwright.errors import SpecError
from opwright.files import why_no_file
from opwright.frozen import replace
from opwright.generate.binding_source import GENERATOR_VERSION
from opwright.generate.extension import module_name
from opwright.generate.kernels import Kernels, own_kernels, sources_of
from opwright.generate.torch_without_hip import includes_torch, with_torchs_headers
from opwright.records.artifact import Artifact
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.amd_device_libraries import DeviceSupport
from opwright.toolchain.hip import CONSTANTS_NAME, CONSTANTS_SUFFIX, SUFFIXES
from opwright.toolchain.torch_facts import torch_facts

LABEL = "compiled"
_ALONE = (
    "It is compiled alone, with HIP's headers: what includes those that torch has for CUDA and HIP, or is "
    "written for CUDA's alone, needs a torch that is built for HIP."
)


def code_object_request(spec: OperatorSpec, target: Target) -> BuildRequest:
    """The build of an operator's device code with its launchers, and of no binding: torch takes no part.

    Of an extension that is its device sources, as they are, with torch's headers where they include any.
    Raises `SpecError` where there is no source of device code for the target.
    """
    kernels = _of_extension(spec) if spec.extension else _own(spec, target)
    include = Path(__file__).parent.parent / "include"
    request = BuildRequest(
        name=spec.name,
        target=target,
        root=spec.folder,
        units=kernels.units,
        include_dirs=(spec.folder, *kernels.include_dirs, include),
        named_roots=(("opwright", include),),
        compile_flags=(kernels.optimisation, *spec.compile_flags),
        identity=(("generator", GENERATOR_VERSION), ("binding", "none")),
        facts={
            "kind": "code object",
            "label": LABEL,
            "schema": spec.schema.text,
            "dtypes": list(spec.dtypes),
        },
    )
    if spec.extension and includes_torch(u.path for u in kernels.units if u.path is not None):
        return with_torchs_headers(request, module_name(spec), torch_facts())
    return request


def _own(spec: OperatorSpec, target: Target) -> Kernels:
    if spec.function is not None:
        raise SpecError(
            f"{spec.location}: {spec.name} is a Python callable: it has no source to compile",
            hint="Leave it out.",
        )
    kernels = own_kernels(spec, target, sources_of(spec, target)[1])
    return replace(kernels, include_dirs=tuple(spec.folder / name for name in spec.include_dirs))


def _of_extension(spec: OperatorSpec) -> Kernels:
    assert spec.extension is not None
    names = [name for name in spec.extension.sources if Path(name).suffix in SUFFIXES]
    missing = [name for name in names if why_no_file(spec.folder / name)]
    if missing or not names:
        what = f"there is no {missing[0]}" if missing else "it has no .hip or .cu source"
        raise SpecError(
            f"{spec.location}: the extension {spec.name} has no device code to compile: {what}",
            hint=f"Its sources are: {', '.join(spec.extension.sources)}.",
        )
    return Kernels(
        units=tuple(Unit(name, path=spec.folder / name, advice=_ALONE) for name in names),
        include_dirs=tuple(spec.folder / name for name in spec.extension.include_dirs),
    )


def constants_request(target: Target, support: DeviceSupport) -> BuildRequest:
    """The build of the constants by which device libraries know an architecture; one a store."""
    lines = (f"__constant const int {name} = {value};\n" for name, value in support.constants)
    return BuildRequest(
        name=CONSTANTS_NAME,
        target=target,
        root=Path(__file__).parent,
        units=(Unit(f"constants__{CONSTANTS_SUFFIX}", text="".join(lines)),),
        facts={"kind": "device library"},
    )


def with_device_support(
    request: BuildRequest, support: DeviceSupport, constants: Artifact | None
) -> BuildRequest:
    """The request, whose units of device code find HIP, device libraries and constants."""
    flags, roots = support.flags, request.named_roots
    if constants is not None:
        folders = (support.folder, constants.library.parent)
        names = (*support.libraries, constants.library.name)
        flags = (
            *flags,
            *(f"--hip-device-lib-path={folder}" for folder in folders),
            *(f"--hip-device-lib={name}" for name in names),
        )
        roots = (*roots, ("device constants", constants.library.parent))
    return replace(request, compile_flags=(*flags, *request.compile_flags), named_roots=roots)
