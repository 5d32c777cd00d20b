"""Run a call on a device, although its tensors are on the host: checks draw, judge and compare there.

Memory travels as it is: whole storages, so that strides, offsets, gaps and tensors that share memory
are on the device what they were on the host, and come back so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch


class Placement:
    """Host storages and their counterparts on ``device``, for the time of one call."""

    def __init__(self, device: torch.device) -> None:
        self.device = device
        self._there: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}  # by the host's address
        self._here: dict[int, torch.Tensor] = {}  # host bytes by the device's address

    def placed(self, tensor: torch.Tensor) -> torch.Tensor:
        """The tensor on the device. What is not on the host (a meta tensor) stays where it is."""
        if tensor.device.type != "cpu":
            return tensor
        host = storage_bytes(tensor)
        if host.data_ptr() not in self._there:
            there = host.to(self.device, copy=True)
            self._there[host.data_ptr()] = host, there
            self._here[there.data_ptr()] = host
        return view_like(self._there[host.data_ptr()][1], tensor)

    def fetched(self, tensor: torch.Tensor) -> torch.Tensor:
        """A result on the host; in an argument's memory where it lies in an argument's there."""
        if tensor.device.type != self.device.type:
            return tensor
        there = storage_bytes(tensor)
        if there.data_ptr() not in self._here:
            self._here[there.data_ptr()] = there.cpu()
        return view_like(self._here[there.data_ptr()], tensor)

    def take_back(self) -> None:
        """Copy all that the device now holds of the arguments' memory to the host."""
        for host, there in self._there.values():
            host.copy_(there)


class _Journey(torch.autograd.Function):
    """To the device or home, for what autograd follows: its gradient travels the other way."""

    @staticmethod
    def forward(ctx: Any, tensor: torch.Tensor, placement: Placement, home: bool) -> torch.Tensor:
        ctx.device, ctx.home = placement.device, home
        return placement.fetched(tensor) if home else placement.placed(tensor)

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Any, None, None]:
        return _moved(gradients[0], Placement(ctx.device), home=not ctx.home), None, None


def _moved(tensor: torch.Tensor, placement: Placement, *, home: bool) -> torch.Tensor:
    """The tensor on the other side, with a gradient where it has one to give."""
    if torch.is_grad_enabled() and tensor.requires_grad:
        moved: torch.Tensor = _Journey.apply(tensor, placement, home)  # type: ignore[no-untyped-call]
        return moved
    return placement.fetched(tensor) if home else placement.placed(tensor)


def on_device(
    call: Callable[..., Any], device: torch.device, finish: Callable[[], None]
) -> Callable[..., Any]:
    """``call``, taking and giving tensors of the host, run on ``device``.

    ``finish`` waits for the device, so that what fails there fails here. Raises what the call raises,
    and what ``finish`` does.
    """

    def run(*arguments: Any, **keywords: Any) -> Any:
        placement = Placement(device)
        values = (*arguments, *keywords.values())
        there = {
            id(value): _moved(value, placement, home=False) for value in values if _is_tensor(value)
        }
        given = {id(there[id(value)]): value for value in values if id(value) in there}
        try:
            result = call(
                *(there.get(id(value), value) for value in arguments),
                **{name: there.get(id(value), value) for name, value in keywords.items()},
            )
        finally:
            finish()
            placement.take_back()
        if isinstance(result, (tuple, list)):
            return type(result)(_back(item, given, placement) for item in result)
        return _back(result, given, placement)

    return run


def _back(value: Any, given: dict[int, Any], placement: Placement) -> Any:
    """What came back: an argument itself, where the argument itself came back."""
    if id(value) in given:
        return given[id(value)]
    return _moved(value, placement, home=True) if _is_tensor(value) else value


def _is_tensor(value: object) -> bool:
    return isinstance(value, torch.Tensor)


def storage_bytes(tensor: torch.Tensor) -> torch.Tensor:
    """All bytes of the tensor's storage."""
    storage = tensor.untyped_storage()
    return torch.empty(0, dtype=torch.uint8, device=tensor.device).set_(storage)


def view_like(storage: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A tensor in the storage of ``storage`` with dtype, offset, sizes and strides of ``like``."""
    made = torch.empty(0, dtype=like.dtype, device=storage.device)
    return made.set_(storage.untyped_storage(), like.storage_offset(), like.shape, like.stride())
