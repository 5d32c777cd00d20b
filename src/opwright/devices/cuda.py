"""NVIDIA's GPUs as torch sees them."""

from __future__ import annotations

import torch

from opwright.errors import DeviceError


def architecture() -> str | None:
    """``sm_90``: that of the current GPU; None where torch sees none."""
    if not torch.version.cuda or not torch.cuda.is_available():
        return None
    major, minor = torch.cuda.get_device_capability()
    return f"sm_{major}{minor}"


def require_architecture(architectures: str, name: str) -> None:
    """Raise `DeviceError` unless a binary for ``architectures`` (``sm_80,sm_90``) runs on every GPU here.

    Machine code runs on chips of the same major number from its own minor number on; PTX of the last
    architecture is translated for later ones. (CUDA C++ Programming Guide, "Application Compatibility".)
    """
    if not torch.cuda.is_available():
        raise DeviceError(
            f"{name} is built for CUDA, and torch sees no GPU here",
            hint="Run `opwright doctor`, or use --target emulated on a machine without a GPU.",
        )
    had = [_capability(word) for word in architectures.split(",")]
    for index in range(torch.cuda.device_count()):
        wanted = torch.cuda.get_device_capability(index)
        if not _runs_on(had, wanted, portable=not architectures.endswith(("a", "f"))):
            raise DeviceError(
                f"{name} has no kernel image for cuda:{index}: that GPU is sm_{wanted[0]}{wanted[1]}, "
                f"and the library was built for {architectures}",
                hint=f"Build it with --target cuda:sm_{wanted[0]}{wanted[1]}.",
            )


def _runs_on(had: list[tuple[int, int]], wanted: tuple[int, int], *, portable: bool) -> bool:
    native = any(major == wanted[0] and minor <= wanted[1] for major, minor in had)
    return native or (portable and had[-1] <= wanted)


def _capability(architecture: str) -> tuple[int, int]:
    digits = architecture.removeprefix("sm_").rstrip("af")
    return int(digits[:-1]), int(digits[-1])
