"""A small network around one call of an operator, and its training: the same one for whoever computes the call."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from opwright.checks.learning.expected import called, continuous
from opwright.inputs.call import Call

Function = Callable[[Mapping[str, Any]], Sequence[torch.Tensor]]
"""From arguments by name to the continuous results of a call."""

_HEAD = 3  # numbers that the head makes of each row
_MOMENTUM = 0.9
_WIDEST = 512  # columns for which a layer is a whole matrix


@dataclass(frozen=True)
class Network:
    """Linear layers, the operator, a linear head, and the data of a regression.

    ``data`` are the arguments that come out of a linear layer, ``learned`` those that are parameters; the
    others stay as the call has them. ``values`` are the parameters' first values, in float32 (float64 where
    the operator's are), by name: arguments', ``layer before X`` and ``head``. ``sizes`` are the root mean
    squares of the results, and the head starts from results divided by them.
    """

    call: Call
    data: tuple[str, ...]
    learned: tuple[str, ...]
    values: dict[str, torch.Tensor]
    sizes: tuple[float, ...] = ()
    targets: tuple[torch.Tensor, ...] = ()


@dataclass(frozen=True)
class Training:
    """One training: the loss before each step and after the last, and what became of the parameters.

    ``without`` are the parameters that got no gradient in the first step, ``still`` those that are at the
    end what they were at the beginning.
    """

    losses: tuple[float, ...]
    without: tuple[str, ...]
    still: tuple[str, ...]

    @property
    def is_finite(self) -> bool:
        """Whether every loss is a number."""
        return all(map(math.isfinite, self.losses))


def built(call: Call, names: Sequence[str], right: Function, seed: int) -> Network:
    """The network around ``call`` in which the arguments ``names`` take part; its targets are a teacher's.

    The teacher is the same network with other parameters, computed by ``right``, so that there is something
    that can be learned.
    """
    generator = torch.Generator().manual_seed(5000 + seed)
    first = call.tensors[names[0]]
    data = tuple(n for n in names if first.dim() and call.tensors[n].shape == first.shape)
    learned = tuple(n for n in names if n not in data)
    values = {n: _free(call, n, call.tensors[n]) for n in learned}
    values |= {f"layer before {n}": _layer(call.tensors[n], generator) for n in data}
    network = Network(call, data, learned, values)
    teacher = {n: value + _unlike(value, n in learned, generator) for n, value in values.items()}
    with torch.no_grad():
        begun = right(arguments_of(network, values))
        sizes = tuple(float(r.double().square().mean().sqrt()) or 1.0 for r in begun)
        taught = right(arguments_of(network, teacher))
    wide = _wide(call.tensors[names[0]])
    for number, result in enumerate(begun):
        width = result.shape[-1] if result.dim() else 1
        drawn = torch.randn((width, _HEAD), generator=generator, dtype=torch.float64)
        values[_head(number)] = (drawn / width**0.5).to(wide)
    whole = replace(network, sizes=sizes)
    aims = [
        _rows(r, s, wide) @ values[_head(i)]
        for i, (r, s) in enumerate(zip(taught, sizes, strict=True))
    ]
    return replace(whole, targets=tuple(aims))


class TooSlow(Exception):
    """Training takes longer than there is time."""


def trained(
    network: Network,
    function: Function,
    rate: float,
    steps: int,
    *,
    until: float,
    busy: bool = False,
) -> Training:
    """Train by gradient descent with momentum 0.9, all data at once, the call being ``function``'s.

    ``busy`` puts a second call, with rows in another order, between each loss and its gradients, as where a
    network has a layer twice. Stops at the first loss that is no number. Raises `TooSlow` past ``until``, of
    time.monotonic.
    """
    values = {n: v.clone().requires_grad_() for n, v in network.values.items()}
    speeds = [torch.zeros_like(v) for v in values.values()]
    losses: list[float] = []
    without: tuple[str, ...] = ()
    # Half types hold no gradient of a mean over many: it is scaled for the way, as users do.
    scale = 2.0 ** math.ceil(math.log2(max(t.numel() for t in network.targets)))
    for step in range(steps + 1):
        with torch.enable_grad():
            loss = _loss(network, function, values)
        losses.append(float(loss.detach()))
        if step == steps or not math.isfinite(losses[-1]):
            break
        if busy:
            with torch.enable_grad():
                function(_turned(network, arguments_of(network, values)))
        found: Sequence[torch.Tensor | None] = torch.autograd.grad(
            loss * scale, list(values.values()), allow_unused=True
        )
        if time.monotonic() > until:
            raise TooSlow(f"{step} of {steps} steps")
        if step == 0:
            without = tuple(n for n, g in zip(values, found, strict=True) if g is None)
        for value, speed, gradient in zip(values.values(), speeds, found, strict=True):
            if gradient is not None:
                _descend(value, speed, gradient / scale, rate)
    still = tuple(n for n, v in values.items() if torch.equal(v.detach(), network.values[n]))
    return Training(tuple(losses), without, still)


def _descend(value: torch.Tensor, speed: torch.Tensor, gradient: torch.Tensor, rate: float) -> None:
    """One step, in place: optimizers leave a parameter where it is in memory."""
    with torch.no_grad():
        speed.mul_(_MOMENTUM).add_(gradient)
        value.sub_(speed, alpha=rate)


def arguments_of(network: Network, values: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """The call's arguments for these parameters, at its own dtypes."""
    found = dict(network.call.arguments)
    for name in (*network.data, *network.learned):
        given = network.call.tensors[name]
        layer = values.get(f"layer before {name}")
        value = values[name] if layer is None else _through(layer, given.to(_wide(given)))
        found[name] = _bounded(network.call, name, value).to(given.dtype)
    return found


def _turned(network: Network, arguments: dict[str, Any]) -> dict[str, Any]:
    return {n: v.flip(0) if n in network.data else v for n, v in arguments.items()}


def calling(call: Call, function: Callable[..., Any]) -> Function:
    """A function of the schema's arguments as one of arguments by name."""
    return lambda arguments: continuous(called(call.spec, function, arguments))


def _loss(network: Network, function: Function, values: Mapping[str, torch.Tensor]) -> torch.Tensor:
    results = function(arguments_of(network, values))
    parts = [
        (_rows(result, size, aim.dtype) @ values[_head(i)] - aim).square().mean()
        for i, (result, size, aim) in enumerate(
            zip(results, network.sizes, network.targets, strict=True)
        )
    ]
    return torch.stack(parts).mean()


def _rows(result: torch.Tensor, size: float, dtype: torch.dtype) -> torch.Tensor:
    width = result.shape[-1] if result.dim() else 1
    return result.to(dtype).reshape(-1, width) / size


def _head(number: int) -> str:
    return f"head of result {number}" if number else "head"


def _layer(given: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """A matrix that leaves values about as large as they are; a factor a column where it would be too large."""
    width = given.shape[-1]
    sizes = (width, width) if width <= _WIDEST else (width,)
    drawn = torch.randn(sizes, generator=generator, dtype=torch.float64)
    return (drawn / width**0.5 if width <= _WIDEST else drawn).to(_wide(given))


def _through(layer: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    return values @ layer if layer.dim() == 2 else values * layer


def _unlike(value: torch.Tensor, is_argument: bool, generator: torch.Generator) -> torch.Tensor:
    """What a teacher's parameter differs by: about half of what the value itself is large."""
    drawn = torch.randn(value.shape, generator=generator, dtype=torch.float64)
    size = float(value.double().square().mean().sqrt())
    return (drawn * size * (0.5 if is_argument else 0.7)).to(value.dtype)


def _wide(tensor: torch.Tensor) -> torch.dtype:
    return torch.promote_types(tensor.dtype, torch.float32)


def _bounded(call: Call, name: str, value: torch.Tensor) -> torch.Tensor:
    """Within the range that the description gives, whatever the parameter is."""
    bounds = call.spec.inputs[name].range
    if bounds is None:
        return value
    low, high = bounds
    return low + (high - low) * torch.sigmoid(value)


def _free(call: Call, name: str, value: torch.Tensor) -> torch.Tensor:
    """The parameter of which `_bounded` makes this value."""
    bounds = call.spec.inputs[name].range
    wide = value.to(_wide(value))
    if bounds is None:
        return wide.clone()
    low, high = bounds
    return torch.logit((wide - low) / (high - low), eps=0.02)
