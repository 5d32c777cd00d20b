"""Results inside a graph beside results without one, element by element."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch

from opwright.records.verdict import Finding

_SHOWN = 5


class Allowed(NamedTuple):
    """How far results may be apart: ``|graph - eager| <= atol + rtol * |eager|``. None: not in one bit."""

    tolerance: tuple[float, float] | None = None

    def __str__(self) -> str:
        if self.tolerance is None:
            return "bit for bit"
        return f"within atol {self.tolerance[0]:g}, rtol {self.tolerance[1]:g}"


EXACT = Allowed()


def differing(
    names: Sequence[str],
    eager: Sequence[torch.Tensor],
    graphed: Sequence[torch.Tensor],
    allowed: Allowed,
) -> Finding | None:
    """The finding on the first result that is not the same, with places; None where all are. On the host."""
    if len(eager) != len(graphed):
        return Finding(
            "differs in the graph",
            f"{len(graphed)} results inside the graph, {len(eager)} without it",
        )
    for name, expected, found in zip(names, eager, graphed, strict=True):
        if (expected.shape, expected.dtype) != (found.shape, found.dtype):
            return Finding(
                "differs in the graph",
                f"{name} is {_form(found)} inside the graph, and {_form(expected)} without it",
                {"output": name},
            )
        wrong = _unequal(expected, found, allowed)
        if wrong.any():
            return _finding(name, expected, found, wrong)
    return None


def same(one: torch.Tensor, other: torch.Tensor) -> bool:
    """Whether two tensors on the host hold the same bits; NaN is the same as NaN."""
    return (one.shape, one.dtype) == (other.shape, other.dtype) and not bool(
        _unequal(one, other, EXACT).any()
    )


def _unequal(expected: torch.Tensor, found: torch.Tensor, allowed: Allowed) -> torch.Tensor:
    if expected.is_complex():
        return _unequal(_parts(expected), _parts(found), allowed).any(-1)
    if not expected.is_floating_point():
        return expected != found
    nan = expected.isnan() & found.isnan()
    if allowed.tolerance is None:
        return ~nan & ((expected != found) | (expected.signbit() != found.signbit()))
    absolute, relative = allowed.tolerance
    wide, other = expected.double(), found.double()
    # An infinite bound would be above any difference: infinities are the same, or they are not.
    finite = wide.isfinite() & other.isfinite()
    near = finite & ((wide - other).abs() <= absolute + relative * wide.abs())
    return ~(nan | (wide == other) | near)


def _parts(tensor: torch.Tensor) -> torch.Tensor:
    return torch.view_as_real(tensor.resolve_conj().contiguous())


def _finding(
    name: str, expected: torch.Tensor, found: torch.Tensor, wrong: torch.Tensor
) -> Finding:
    places = wrong.nonzero()
    count = len(places)
    shown = [tuple(place) for place in places[:_SHOWN].tolist()]
    told = "; ".join(
        f"{list(place)}: {found[place].item()!r} inside the graph, {expected[place].item()!r} without it"
        for place in shown
    )
    first, last = places[0].tolist(), places[-1].tolist()
    span = f", from {first} to {last}" if count > _SHOWN else ""
    return Finding(
        "differs in the graph",
        f"{name} differs in {count} of {wrong.numel()} elements{span}. {told}",
        {"output": name, "count": count, "places": [list(place) for place in shown]},
    )


def _form(tensor: torch.Tensor) -> str:
    return f"{str(tensor.dtype).removeprefix('torch.')} {list(tensor.shape)}"
