"""What a HIP compiler has to be told to compile for one architecture, where no ROCm is installed.

A distribution's device libraries are older than its newest clang: they lack the constants by which they
know their architecture. Those are two numbers, which can be made here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from opwright.errors import ToolchainError
from opwright.process import run_command
from opwright.spec.naming import did_you_mean
from opwright.toolchain import hip, hip_compilers
from opwright.toolchain.base import Tools

# Where distributions keep the device libraries that clang++ does not find by itself.
FOLDERS = ("usr/lib/*/amdgcn/bitcode", "usr/lib/amdgcn/bitcode", "usr/share/amdgcn/bitcode")
STAND_IN = "gfx9-generic"  # compiles for every chip of the family, waves of 64 lanes

# Old headers call functions of a library that newer ones do without.
_OF_OLD_HEADERS = "hip"
# Device libraries that every kernel may need; the constants below choose among what is in them.
_COMMON = (
    *("ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off", "oclc_finite_only_off"),
    "oclc_correctly_rounded_sqrt_on",
)
# Generic architecture -> the number of the one chip that it is like, for the libraries.
_GENERIC = {"gfx9": 9000, "gfx9-4": 9400, "gfx10-1": 10100, "gfx10-3": 10300, "gfx11": 11003}
_PROBE_SECONDS = 60.0
_UNKNOWN = re.compile(r"invalid target ID|unsupported (HIP|CUDA) gpu architecture", re.IGNORECASE)
_NO_LIBRARY = re.compile(r"cannot find ROCm device library")
_NO_HEADERS = re.compile(r"cannot find HIP runtime")


class DeviceSupport(NamedTuple):
    """``flags`` for every unit of device code; ``constants`` that have to be made and linked into each.

    ``libraries`` are the folder and the names of the device libraries that go with the constants.
    """

    flags: tuple[str, ...] = ()
    constants: tuple[tuple[str, int], ...] = ()
    folder: Path | None = None
    libraries: tuple[str, ...] = ()


def device_support(
    tools: Tools, environment: Mapping[str, str], architecture: str, root: Path = Path("/")
) -> DeviceSupport:
    """Ask the compiler what it lacks for ``architecture``; nothing is compiled.

    Raises `ToolchainError` for an architecture that it does not know, with what it does know, and
    where HIP's headers or the device libraries are not installed.
    """
    flags: tuple[str, ...] = ()
    if architecture.endswith("-generic"):
        flags = ("-mcode-object-version=6",)
    said = _dry_run(tools, environment, architecture, flags)
    if _NO_HEADERS.search(said):
        flags = (*flags, f"--rocm-path={_headers(root)}")
        said = _dry_run(tools, environment, architecture, flags)
    if _UNKNOWN.search(said):
        raise _unknown(tools, environment, architecture)
    if not _NO_LIBRARY.search(said):
        if error := re.search(r"error: .*", said):
            raise ToolchainError(
                f"{tools.driver[0]} does not compile for {architecture}: {error[0]}",
                hint=hip_compilers.INSTALL,
            )
        return DeviceSupport(flags)
    return _with_constants(architecture, flags, root)


def constant_of(architecture: str) -> int:
    """The number by which device libraries know an architecture: 11501 for gfx1151, 9010 for gfx90a."""
    if architecture.endswith("-generic"):
        name = architecture.removesuffix("-generic")
        return _GENERIC.get(name, 1000 * int(name.removeprefix("gfx").partition("-")[0]))
    digits = architecture.partition(":")[0].removeprefix("gfx")
    return 1000 * int(digits[:-2]) + 100 * int(digits[-2], 16) + int(digits[-1], 16)


def wave_size(architecture: str) -> int:
    """Lanes of a wave: 32 from gfx10 on, 64 before."""
    return 32 if constant_of(architecture) >= 10_000 else 64


def known_architectures(tools: Tools, environment: Mapping[str, str]) -> list[str]:
    """The architectures that the compiler knows, as it lists them; empty where it lists none."""
    asking = ("--target=amdgcn-amd-amdhsa", "-nogpulib", "--print-supported-cpus")
    command = [*hip.started(tools.driver), *asking]
    done = run_command(command, env=environment, timeout_seconds=_PROBE_SECONDS)
    listed = re.findall(r"\bgfx[0-9a-f]+(?:-\d+)*(?:-generic)?\b", done.stdout + done.stderr)
    return list(dict.fromkeys(listed))


def _dry_run(
    tools: Tools, environment: Mapping[str, str], architecture: str, flags: Sequence[str]
) -> str:
    command = [
        *hip.started(tools.driver),
        *("-###", "-x", "hip", f"--offload-arch={architecture}", *flags),
        *("-c", "/dev/null", "-o", "/dev/null"),
    ]
    done = run_command(command, env=environment, timeout_seconds=_PROBE_SECONDS)
    return done.stdout + done.stderr


def _headers(root: Path) -> Path:
    for home in (root / "usr", root / "usr/local"):
        if (home / "include/hip/hip_runtime.h").is_file():
            return home
    raise ToolchainError(
        "there is a compiler for HIP, but no hip/hip_runtime.h", hint=hip_compilers.INSTALL
    )


def _with_constants(architecture: str, flags: tuple[str, ...], root: Path) -> DeviceSupport:
    folders = [folder for pattern in FOLDERS for folder in sorted(root.glob(pattern))]
    folder = next((folder for folder in folders if (folder / "ocml.bc").is_file()), None)
    if folder is None:
        raise ToolchainError(
            f"there is a compiler for HIP, but no device library (ocml.bc) for {architecture}",
            hint=hip_compilers.INSTALL,
        )
    version = 6
    if not architecture.endswith("-generic"):
        # Libraries of before take what a kernel is given from where version 4 puts it.
        version = 5 if (folder / "oclc_abi_version_500.bc").is_file() else 4
        flags = (*flags, f"-mcode-object-version={version}")
    wave64 = "on" if wave_size(architecture) == 64 else "off"
    old = (_OF_OLD_HEADERS,) if (folder / f"{_OF_OLD_HEADERS}.bc").is_file() else ()
    names = (*old, *_COMMON, f"oclc_wavefrontsize64_{wave64}")
    constants = (
        ("__oclc_ISA_version", constant_of(architecture)),
        ("__oclc_ABI_version", 100 * version),
    )
    return DeviceSupport(flags, constants, folder, tuple(f"{name}.bc" for name in names))


def _unknown(tools: Tools, environment: Mapping[str, str], architecture: str) -> ToolchainError:
    known = known_architectures(tools, environment)
    hints = [did_you_mean(architecture, known).strip()]
    if architecture.startswith("gfx9") and STAND_IN in known:
        hints.append(
            f"A Hygon DCU's code is compiled by DTK (OPWRIGHT_DTK_ROOT). Without it {STAND_IN} stands "
            "in for a chip with waves of 64 lanes: that its source compiles is all that it shows."
        )
    others = [
        str(path)
        for path in hip_compilers.candidates(environment)
        if str(path) != tools.driver[0] and not hip_compilers.why_unfit(path)
    ]
    if others:
        hints.append(f"Other compilers here: {', '.join(f'HIPCXX={path}' for path in others)}.")
    hints.append(f"It knows: {', '.join(known) or 'none'}.")
    return ToolchainError(
        f"{tools.driver[0]} ({tools.version.partition(';')[0]}) does not know {architecture}",
        hint=" ".join(filter(None, hints)),
    )
