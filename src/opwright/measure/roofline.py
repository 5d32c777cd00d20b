"""How near a call comes to what the device can do: bytes and operations against measured ceilings."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from opwright.errors import UsageError
from opwright.inputs.call import Call
from opwright.spec.sizing import bind_sizes

# A ceiling is the best of some measurements, and a time the median of others: so far they may disagree.
_UNCERTAIN = 0.05
_LOOK_FOR = "look for a cache or a missing synchronisation"


@dataclass(frozen=True)
class Ceilings:
    """What this device did in this run: the best of several measurements of each.

    Gigabytes (10^9) a second count bytes that are read and bytes that are written. ``copy_gb_s`` is of a copy
    that moves ``size_bytes``, ``highest_gb_s`` the best of copying, reading and writing at any size;
    ``cache`` is the state before. The matrix product is of ``dtype``; None where it was not asked for, or
    ``not_measured`` says why.
    """

    copy_gb_s: float
    highest_gb_s: float
    size_bytes: int
    cache: str
    matmul_tflop_s: float | None = None
    dtype: str = ""
    not_measured: dict[str, str] = field(default_factory=dict)


def bytes_moved(call: Call, outputs: Sequence[torch.Tensor], unread: Collection[str] = ()) -> int:
    """The least that the call has to move: each input read once, each output written once.

    What the schema marks as written to is both, but for what is ``unread``. A tensor that is expanded counts
    what it holds, and two arguments that are the same memory count once. ``outputs`` may hold the written
    arguments, too.
    """
    inputs = [tensor for name, tensor in call.tensors.items() if name not in unread]
    read = {_memory(tensor): _held_bytes(tensor) for tensor in inputs}
    changed = [call.arguments[name] for name in call.written]
    written = {_memory(tensor): _held_bytes(tensor) for tensor in (*changed, *outputs)}
    return sum(read.values()) + sum(written.values())


def _memory(tensor: torch.Tensor) -> Hashable:
    """Equal for tensors that are the same memory; those without memory are each their own."""
    if tensor.device.type == "meta" or not tensor.numel():
        return id(tensor)
    return tensor.data_ptr(), tensor.dtype, tensor.shape, tensor.stride()


def _held_bytes(tensor: torch.Tensor) -> int:
    steps = zip(tensor.shape, tensor.stride(), strict=True)
    elements = math.prod(size for size, stride in steps if stride or not size)
    return elements * tensor.element_size()


def flops_of(call: Call) -> int | None:
    """How many operations the description says that the call does; None where it says nothing."""
    spec = call.spec
    if spec.flops is None:
        return None
    scalars = {argument.name: call.arguments[argument.name] for argument in spec.schema.scalars}
    shapes = {name: tensor.shape for name, tensor in call.tensors.items()}
    known = bind_sizes(spec.inputs, shapes, scalars)
    counts = {name: math.prod(v) if isinstance(v, tuple) else v for name, v in known.items()}
    found = spec.flops.evaluate(counts)
    return None if found is None else max(0, int(found))


def achieved(
    size_bytes: int, flops: int | None, time_us: float, ceilings: Ceilings
) -> dict[str, Any]:
    """What moving ``size_bytes`` and doing ``flops`` in ``time_us`` comes to, by name.

    ``gb_s`` and ``fraction_of_copy``; with operations ``tflop_s`` and, where a matrix product was measured,
    ``fraction_of_matmul``; ``limit`` is what would take longer at the ceilings, ``memory`` or ``compute``.
    ``impossible`` is there only where a ceiling is exceeded, and says what to look for.
    """
    gb_s = size_bytes / time_us / 1e3
    found: dict[str, Any] = {
        "bytes": size_bytes,
        "gb_s": gb_s,
        "fraction_of_copy": gb_s / ceilings.copy_gb_s,
        "limit": "memory",
        "cache": ceilings.cache,
    }
    of_highest = gb_s / ceilings.highest_gb_s
    if of_highest > 1 + _UNCERTAIN:
        found["impossible"] = (
            f"{100 * of_highest:.0f} % of the {ceilings.highest_gb_s:.0f} GB/s that this device moves "
            f"is impossible: {_LOOK_FOR}"
        )
    if flops is not None:
        _add_operations(found, flops, time_us, ceilings)
    return found


def _add_operations(found: dict[str, Any], flops: int, time_us: float, ceilings: Ceilings) -> None:
    tflop_s = flops / time_us / 1e6
    found.update(flops=flops, tflop_s=tflop_s)
    if ceilings.matmul_tflop_s is None:
        return
    fraction = tflop_s / ceilings.matmul_tflop_s
    found["fraction_of_matmul"] = fraction
    found["limit"] = "compute" if fraction > found["fraction_of_copy"] else "memory"
    if fraction > 1 + _UNCERTAIN:
        found.setdefault(
            "impossible",
            f"{100 * fraction:.0f} % of the {ceilings.matmul_tflop_s:.3g} TFLOP/s of a matrix product in "
            f"{ceilings.dtype} is impossible: {_LOOK_FOR}, a lower precision inside, or flops= too high",
        )


def amdahl(share_percent: float, speedup: float) -> float:
    """How many times as fast a whole becomes when ``share_percent`` of its time is ``speedup`` times as fast.

    An infinite ``speedup`` gives what can be gained at most. Raises `UsageError` for a share outside of
    0 to 100, or a speed-up that is not positive.
    """
    if not 0 <= share_percent <= 100:
        raise UsageError(
            f"a share of {share_percent:g} % is none",
            hint="Give the operator's share of the model's time, from 0 to 100.",
        )
    if not speedup > 0:
        raise UsageError(f"a speed-up of {speedup:g} is none", hint="Give a number above 0.")
    share = share_percent / 100
    rest = 1 - share + share / speedup
    return 1 / rest if rest else math.inf
