"""Which architecture a target stands for where its user names none: the device's, else the environment's."""

from __future__ import annotations

import os
import re

from opwright.errors import ToolchainError
from opwright.frozen import replace
from opwright.spec.target import Target, parse_target

CUDA_LIST = "TORCH_CUDA_ARCH_LIST"
HIP_LIST = "PYTORCH_ROCM_ARCH"
# Names that PyTorch's own extension builder takes in that variable, besides numbers.
_FAMILIES = {
    "volta": "7.0",
    "turing": "7.5",
    "ampere": "8.0 8.6",
    "ada": "8.9",
    "hopper": "9.0",
    "blackwell": "10.0 10.3 12.0",
}


def with_architecture(target: Target) -> Target:
    """The target, with an architecture where its kind needs one.

    Raises `ToolchainError` where neither a device nor the environment tells it.
    """
    if target.kind not in ("cuda", "hip") or target.architecture:
        return target
    if target.kind == "hip":
        from opwright.devices import hip

        found, variable, example = hip.architecture() or _one_of_hip(), HIP_LIST, "gfx1151"
    else:
        from opwright.devices import cuda

        listed = os.environ.get(CUDA_LIST, "")
        found, variable, example = cuda.architecture() or _listed(listed), CUDA_LIST, "sm_90"
    if not found:
        raise ToolchainError(
            f"for which GPU? torch sees none here, and {variable} is not set",
            hint=f"Name the architecture: --target {target.kind}:{example}, say.",
        )
    return replace(target, architecture=found)


def _one_of_hip() -> str:
    """What ``PYTORCH_ROCM_ARCH`` names, empty for nothing; raises `ToolchainError` for more than one."""
    names = re.split(r"[;\s]+", os.environ.get(HIP_LIST, "").strip())
    if len(names) > 1:
        raise ToolchainError(
            f"{HIP_LIST} names {', '.join(names)}, and a library is built for one of them",
            hint=f"Name it: --target hip:{names[0]}, say.",
        )
    return parse_target(f"hip:{names[0]}").architecture or "" if names[0] else ""


def _listed(text: str) -> str:
    """``8.0;9.0+PTX`` as ``sm_80,sm_90``; raises `ToolchainError` for what is no architecture."""
    words = re.split(r"[;\s]+", text.strip().lower()) if text.strip() else []
    numbers = " ".join(_FAMILIES.get(word.removesuffix("+ptx"), word) for word in words).split()
    names = []
    for number in numbers:
        known = re.fullmatch(r"(\d+)\.(\d)([af]?)(\+ptx)?", number)
        if not known:
            raise ToolchainError(
                f"{CUDA_LIST} holds {number!r}, which is no architecture",
                hint=f"Write numbers: {CUDA_LIST}='8.0;9.0', or name it: --target cuda:sm_90.",
            )
        names.append(f"sm_{known[1]}{known[2]}{known[3]}")
    return ",".join(dict.fromkeys(names))
