"""Who holds tensors that should be gone: an attribute, a global, a container."""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator
from types import FrameType, ModuleType
from typing import Any

import torch

_LOOKED_AT = 3  # each look goes over all objects of the process


def holders_of_tensors(known: set[int]) -> str:
    """What holds most of the tensors whose ids are not ``known``: ``attribute 'x' of SwishBackward``; or nothing."""
    alive = [
        item
        for item in gc.get_objects()
        if issubclass(type(item), torch.Tensor) and id(item) not in known
    ]
    counted = Counter(
        holder for tensor in alive[-_LOOKED_AT:] for holder in set(_holders(tensor, alive))
    )
    return counted.most_common(1)[0][0] if counted else ""


def tensor_ids() -> set[int]:
    """The ids of all tensors that are alive and known to Python's collector."""
    return {id(item) for item in gc.get_objects() if issubclass(type(item), torch.Tensor)}


def _holders(tensor: torch.Tensor, ours: list[Any]) -> Iterator[str]:
    for referrer in gc.get_referrers(tensor):
        if referrer is ours or isinstance(referrer, FrameType):
            continue
        if isinstance(referrer, dict):
            yield from _owners(referrer, tensor)
        elif isinstance(referrer, (list, tuple, set)):
            outer = [o for o in gc.get_referrers(referrer) if isinstance(o, dict)]
            yield from (name for o in outer for name in _owners(o, referrer))
        elif isinstance(attributes := getattr(referrer, "__dict__", None), dict):
            # Python may keep attributes in the object itself.
            yield from _named(referrer, attributes, tensor)


def _owners(namespace: dict[Any, Any], value: Any) -> Iterator[str]:
    for owner in gc.get_referrers(namespace):
        if getattr(owner, "__dict__", None) is namespace:
            yield from _named(owner, namespace, value)


def _named(owner: Any, namespace: dict[Any, Any], value: Any) -> Iterator[str]:
    for name in [key for key, held in namespace.items() if held is value and isinstance(key, str)]:
        if isinstance(owner, ModuleType):
            yield f"global {name!r} of the module"
        else:
            yield f"attribute {name!r} of {type(owner).__name__}"
