"""A second look at what seems inaccurate: what the reference is wrong by for inputs next to these.

Where terms cancel, a reference can be right by luck: the variance of equal numbers is exactly 0 if their
mean happens to be exact. No operator has to repeat that. For inputs one ULP away the luck is gone, or,
where a formula is exact for equal numbers by its very form, the exact answer itself has moved away.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch

from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call, reference_results
from opwright.judge import Standard, loosened
from opwright.judge.ulp import deviation, ulp_size
from opwright.spec.default_rule import (
    ACCUMULATOR,
    REFERENCE_FACTOR,
    ROUNDING_FACTOR,
    ROUNDING_ULP,
    ULP_FLOOR,
    reduction_limit,
)
from opwright.spec.formats import FLOAT_FORMATS, FloatFormat

_TRIES = 4


def second_look(
    call: Call, standards: Sequence[Standard], *, reduction_length: int
) -> tuple[Standard, ...]:
    """The standards of a call, loosened where errors near by are larger than those at the call itself.

    Sums of several terms may also be as wrong as the exact answer is for inputs that differ by what
    such a sum loses. Where inputs one ULP away leave no digit of the answer, that goes for sums that
    are not declared, too. Declared tolerances stay. Gives the standards back where the reference raises.
    """
    generator = torch.Generator().manual_seed(0)
    found = tuple(standards)
    try:
        for attempt in range(_TRIES):
            near = _moved(call, lambda value: _next_to(value, generator))
            wrong = reference_results(call.spec, near, wide=False)
            right = reference_results(call.spec, near, wide=True)
            found = _each(found, wrong, right, _arithmetic_error)
            blurred = partial(_blurred_results, call, seed=attempt)
            if reduction_length > 1:
                found = _each(found, right, blurred(_sum_loss(call, reduction_length)), _moved_by)
            else:
                little, much = blurred(_eps(call)), blurred(_sum_loss(call, _longest(call)))
                found = _each(found, little, much, _moved_beyond_all_digits)
    except ReferenceFailed:
        return tuple(standards)
    return found


def _each(
    standards: Sequence[Standard],
    one: Sequence[torch.Tensor],
    other: Sequence[torch.Tensor],
    error: Callable[[torch.Tensor, torch.Tensor, Standard, FloatFormat], torch.Tensor],
) -> tuple[Standard, ...]:
    loose = []
    for standard, first, second in zip(standards, one, other, strict=True):
        form = standard.form
        if form is None or standard.tolerance or second.numel() != standard.limit.numel():
            loose.append(standard)
            continue
        wide = standard.oracle.dtype
        flat = first.detach().reshape(-1), second.detach().reshape(-1).to(wide)
        extra = error(*flat, standard, form).nan_to_num_(nan=0.0, posinf=0.0)
        floor = ulp_size(standard.oracle, form) * ULP_FLOOR[form.name]
        loose.append(loosened(standard, extra + floor))
    return tuple(loose)


def _arithmetic_error(
    wrong: torch.Tensor, right: torch.Tensor, _standard: Standard, form: FloatFormat
) -> torch.Tensor:
    """What the rule makes of the reference's error beyond rounding."""
    ulp = ulp_size(right, form)
    beyond = deviation(wrong, right, form).sub_(ulp / 2).clamp_(min=0.0)
    less = REFERENCE_FACTOR - ROUNDING_FACTOR[form.name]
    return beyond * REFERENCE_FACTOR - torch.minimum(beyond, ulp * ROUNDING_ULP) * less


def _moved_by(
    _right: torch.Tensor, blurred: torch.Tensor, standard: Standard, _form: FloatFormat
) -> torch.Tensor:
    return deviation(blurred, standard.oracle, FLOAT_FORMATS["float64"])


def _moved_beyond_all_digits(
    little: torch.Tensor, much: torch.Tensor, standard: Standard, _form: FloatFormat
) -> torch.Tensor:
    """What ``much`` has moved by, where ``little`` has moved by more than the answer; elsewhere nothing.

    A step, such as that of `floor`, moves both alike: nothing cancels there.
    """
    exact = FLOAT_FORMATS["float64"]
    near, far = (deviation(moved, standard.oracle, exact) for moved in (little.to(much), much))
    lost = (standard.oracle.abs() <= near) & (2 * near <= far)
    return far.where(lost, 0.0)


def _blurred_results(call: Call, share: float, *, seed: int) -> list[torch.Tensor]:
    """The oracle's results for inputs of which each is moved by up to ``share``, relatively."""
    generator = torch.Generator().manual_seed(seed)

    def blurred(value: torch.Tensor) -> torch.Tensor:
        drawn = torch.rand(value.shape, generator=generator, dtype=torch.float64) * 2 - 1
        return value * (1 + share * drawn.to(value.device))

    return reference_results(call.spec, _moved(call.widened(), blurred), wide=True)


def _sum_loss(call: Call, length: int) -> float:
    """What a sum of ``length`` terms loses, relatively, at the call's dtypes."""
    return max((reduction_limit(name, length, 1.0) for name in _formats(call)), default=0.0)


def _eps(call: Call) -> float:
    """One ULP of what the call's dtypes are computed in."""
    return max(
        (FLOAT_FORMATS[ACCUMULATOR.get(name, name)].eps for name in _formats(call)), default=0.0
    )


def _longest(call: Call) -> int:
    """The longest dimension of the call: a sum that nobody has declared may go along it."""
    return max((size for tensor in call.tensors.values() for size in tensor.shape), default=1)


def _formats(call: Call) -> set[str]:
    names = {str(tensor.dtype).removeprefix("torch.") for tensor in call.tensors.values()}
    return names & ULP_FLOOR.keys()


def _moved(call: Call, move: Callable[[torch.Tensor], torch.Tensor]) -> Call:
    """The call with other values in its tensors of numbers."""
    changed = {
        name: move(tensor)
        for name, tensor in call.tensors.items()
        if tensor.is_floating_point() or tensor.is_complex()
    }
    return Call(call.spec, {**call.arguments, **changed})


def _next_to(value: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Each number at most about one ULP away; zeros, infinities and NaN as they are."""
    wide = value.to(torch.complex128 if value.is_complex() else torch.float64)
    # Drawn on the host: the same for a device.
    steps = torch.randint(-1, 2, value.shape, generator=generator).to(value.device)
    return (wide * (1 + steps * torch.finfo(value.dtype).eps)).to(value.dtype).contiguous()
