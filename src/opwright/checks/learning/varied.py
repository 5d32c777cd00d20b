"""Arguments at values where gradients break: zeros, rows of them, equal numbers, large ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch

from opwright.checks.learning.expected import is_not_zero
from opwright.inputs.call import Call
from opwright.judge import Standard, holds, loosened, set_standards
from opwright.spec.case import Case
from opwright.spec.tensor import Tensor

_HUGE = 100.0  # past what exp() of float32 holds
_LARGE = 16.0
# Each element may be off by so many eps of the largest one, but by no more than this part of it: on such
# values two right formulas differ by more than on those that are drawn.
_ROUNDINGS, _MOST = 64, 1 / 16
_PLANTED = (0.0, 1.5)  # gradients that have to be found all the same


def _zeros(drawn: torch.Tensor) -> torch.Tensor:
    return drawn.masked_fill(_every(drawn, 3, 0), 0.0)


def _rows_of_zeros(drawn: torch.Tensor) -> torch.Tensor:
    if drawn.dim() < 2:
        return drawn
    changed = drawn.clone()
    changed.flatten(0, -2)[::2] = 0.0
    return changed


def _alike(drawn: torch.Tensor) -> torch.Tensor:
    return drawn[..., :1].expand_as(drawn).clone() if drawn.dim() else drawn


def _huge(drawn: torch.Tensor) -> torch.Tensor:
    above, below = _every(drawn, 5, 0), _every(drawn, 5, 1)
    return drawn.masked_fill(above, _HUGE).masked_fill(below, -_HUGE)


def _every(drawn: torch.Tensor, step: int, first: int) -> torch.Tensor:
    return (torch.arange(drawn.numel()) % step == first).view(drawn.shape)


VALUES: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "zeros among others": _zeros,
    "rows of zeros": _rows_of_zeros,
    "equal in a row": _alike,
    "large": lambda drawn: drawn * _LARGE,
    "huge among others": _huge,
}
_WITHIN = frozenset({"equal in a row"})  # what is drawn from, whatever its range


def with_values(call: Call, kind: str) -> Call:
    """The call with floating-point arguments of a kind of `VALUES`, where their ranges allow that."""
    changed = {
        name: VALUES[kind](tensor)
        for name, tensor in call.tensors.items()
        if tensor.is_floating_point() and _allows(call.spec.inputs[name], kind)
    }
    return Call(call.spec, {**call.arguments, **changed})


def _allows(described: Tensor, kind: str) -> bool:
    if described.range is None or kind in _WITHIN:
        return True
    low, high = described.range
    return "zeros" in kind and low <= 0.0 <= high


@dataclass(frozen=True)
class Rough:
    """Standards of gradients at such values, for the elements at which there is a right answer."""

    standards: tuple[Standard, ...]
    told: tuple[torch.Tensor, ...]

    def of(self, gradients: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The gradients, zero where there is no right answer, as in the standards."""
        return [
            one.masked_fill(~told, 0.0) if one.shape == told.shape else one
            for one, told in zip(gradients, self.told, strict=True)
        ]

    def is_seen(self, place: int) -> bool:
        """Whether gradients of nothing, and such as are half too large, fail; where all is zero there is none."""
        standard = self.standards[place]
        if not is_not_zero(standard):
            return True
        shape, dtype = standard.reference.shape, standard.reference.dtype
        wrong = [(standard.oracle * factor).to(dtype).view(shape) for factor in _PLANTED]
        return not any(holds([one], [standard]) for one in wrong)


def roughly(standards: Sequence[Standard]) -> Rough:
    """Hold gradients to standards where the reference's is finite, at its dtype and in float64, and both agree."""
    held, told = [], []
    for standard in standards:
        shape = standard.reference.shape
        reference, exact = standard.reference_values, standard.oracle
        finite = reference.isfinite() & exact.isfinite()
        sizes = exact.abs().masked_fill(~finite, 0.0)
        largest = float(sizes.max()) if sizes.numel() else 0.0
        part = min(_ROUNDINGS * torch.finfo(standard.reference.dtype).eps, _MOST)
        least = torch.full_like(sizes, part * largest)
        agree = finite & ((reference.to(exact.dtype) - exact).abs() <= sizes * _MOST + least)
        (anew,) = set_standards(
            reference.masked_fill(~agree, 0.0).view(shape),
            exact.masked_fill(~agree, 0.0).view(shape),
        )
        held.append(loosened(anew, least))
        told.append(agree.view(shape))
    return Rough(tuple(held), tuple(told))


def is_rough(case: Case) -> bool:
    """Whether the case's gradients are of such values, or come in in another magnitude."""
    return "values" in case.extra or "times" in case.extra
