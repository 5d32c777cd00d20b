"""Where an operator is to run: ``cpu``, ``cuda:sm_90``, ``hip:gfx1151``, ``npu``, ``emulated:wave64``."""

from __future__ import annotations

import re

from opwright.errors import UsageError
from opwright.frozen import Frozen, replace
from opwright.spec.naming import did_you_mean

# kind -> the spelling that an architecture of that kind has
ARCHITECTURES: dict[str, str] = {
    "cpu": r"native|x86-64(-v[234])?|armv8-a",
    "cuda": r"sm_\d{2,3}[af]?(,sm_\d{2,3}[af]?)*",
    "hip": r"gfx[0-9a-f]{3,4}|gfx\d+(-\d)?-generic",
    "npu": r"ascend\w+",
    "emulated": r"wave(32|64)",
    "simulated": r"wave(32|64)",
}

# kind -> what PyTorch calls the device on which its tensors are: the emulator's memory is the host's,
# and a torch that is built for HIP calls its devices CUDA's.
DEVICE_TYPES = {
    "cpu": "cpu",
    "cuda": "cuda",
    "hip": "cuda",
    "emulated": "cpu",
    "simulated": "simulated",
}

_EXAMPLES = {
    "cpu": "native",
    "cuda": "sm_90, or sm_80,sm_90 for both",
    "hip": "gfx942 (one of them)",
    "npu": "ascend910b",
    "emulated": "wave32 or wave64",
    "simulated": "wave32 or wave64",
}

# kind of target, kind of sources that run there although they are written for another
SOURCES = (
    ("cuda", "hip"),
    *((kind, of) for kind in ("emulated", "simulated") for of in ("cuda", "hip")),
)

# what else these devices are called
_OTHER_NAMES = {
    **dict.fromkeys(("gpu", "nvidia"), "cuda"),
    **dict.fromkeys(("rocm", "amd", "dcu", "amdgpu"), "hip"),
    **dict.fromkeys(("ascend", "cann", "acl"), "npu"),
    **dict.fromkeys(("host", "x86", "native"), "cpu"),
}


class Target(Frozen):
    """A kind of device and, where it was said, an architecture of that kind.

    ``source`` names the kind whose sources are used, None for its own: ``cuda/hip`` is HIP source, run
    over CUDA's runtime.
    """

    kind: str
    architecture: str | None = None
    source: str | None = None

    @property
    def device_type(self) -> str:
        """The type of the tensors that a kernel for this target takes, as PyTorch calls it."""
        return DEVICE_TYPES.get(self.kind, self.kind)

    def __str__(self) -> str:
        architecture = f":{self.architecture}" if self.architecture else ""
        return f"{self.kind}{architecture}{f'/{self.source}' if self.source else ''}"


HOST = Target("cpu")


def parse_target(text: str) -> Target:
    """Read ``kind[:architecture][/source]``; raise `UsageError` for anything else, with the nearest spelling."""
    device, _, source = text.strip().partition("/")
    kind, _, architecture = device.partition(":")
    if kind not in ARCHITECTURES:
        guess = did_you_mean(_OTHER_NAMES.get(kind.lower(), kind), ARCHITECTURES)
        raise UsageError(
            f"unknown target {text!r}", hint=f"{guess}Targets are: {', '.join(ARCHITECTURES)}."
        )
    if ":" in device and not re.fullmatch(ARCHITECTURES[kind], architecture):
        raise UsageError(
            f"target {text!r}: {architecture!r} is no architecture of kind {kind}",
            hint=f"Write it like this: {kind}:{_EXAMPLES[kind]}.",
        )
    return with_source(Target(kind, architecture or None), source or None)


def with_source(target: Target, source: str | None) -> Target:
    """The target, with sources of another kind; raises `UsageError` where they do not run there."""
    if source in (None, target.kind):
        return target
    if (target.kind, source) not in SOURCES:
        pairs = ", ".join(f"{source} on {kind}" for kind, source in SOURCES)
        raise UsageError(
            f"sources for {source!r} do not run on target {target}", hint=f"What runs is: {pairs}."
        )
    return replace(target, source=source)
