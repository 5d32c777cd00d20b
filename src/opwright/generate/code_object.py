"""Builds for AMD devices where there is neither a device nor a torch for one: device code alone."""

from __future__ import annotations

from pathlib import Path

from opwright.errors import SpecError
from opwright.frozen import replace
from opwright.generate.binding_source import GENERATOR_VERSION
from opwright.generate.kernels import own_kernels, sources_of
from opwright.generate.signature import declaration
from opwright.records.artifact import Artifact
from opwright.spec.operator import OperatorSpec
from opwright.spec.request import BuildRequest, Unit
from opwright.spec.target import Target
from opwright.toolchain.amd_device_libraries import DeviceSupport
from opwright.toolchain.hip import CONSTANTS_NAME, CONSTANTS_SUFFIX

LABEL = "compiled"


def code_object_request(spec: OperatorSpec, target: Target) -> BuildRequest:
    """The build of an operator's kernels with their launchers, and of no binding: torch takes no part.

    Raises `SpecError` when the description has no source for the target, or has no kernels of its own.
    """
    if spec.implementation != "generated":
        raise SpecError(
            f"{spec.location}: {spec.name} is {_KINDS[spec.implementation]}: there are no kernels to "
            "compile without torch",
            hint="--compile-only is for operators with `sources`.",
        )
    _, names = sources_of(spec, target)
    kernels = own_kernels(spec, target, names)
    include = Path(__file__).parent.parent / "include"
    return BuildRequest(
        name=spec.name,
        target=target,
        root=spec.folder,
        units=kernels.units,
        include_dirs=(
            spec.folder,
            *(spec.folder / name for name in spec.include_dirs),
            *kernels.include_dirs,
            include,
        ),
        named_roots=(("opwright", include), *kernels.named_roots),
        defines=kernels.defines,
        compile_flags=(kernels.optimisation, *spec.compile_flags),
        identity=(("generator", GENERATOR_VERSION), ("binding", "none")),
        facts={
            "kind": "code object",
            "label": LABEL,
            "schema": spec.schema.text,
            "signature": declaration(spec, target),
            "dtypes": list(spec.dtypes),
        },
    )


_KINDS = {"extension": "an extension", "callable": "a Python callable"}


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
