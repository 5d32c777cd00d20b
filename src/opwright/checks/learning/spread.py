"""How far trainings with one reference lie apart where they differ in rounding alone, and what lies outside."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from opwright.checks.learning.expected import called, continuous
from opwright.checks.learning.network import Function
from opwright.errors import ReferenceFailed
from opwright.inputs.call import Call
from opwright.running import running_reference

RUNS = 8
_BLOCK = 10  # steps whose losses are taken together: rounding is another one in each
# Student's t with RUNS - 1 degrees of freedom, two-sided, that is exceeded in one of 10^4 trainings: in one of
# 10^4 * 21 blocks, by Bonferroni.
STUDENT = 12.53
_CALLS = 17  # for which factors are drawn
_RESULTS = 100  # places of results are numbered behind those of arguments


@dataclass(frozen=True)
class Spread:
    """Trainings that are all right, block by block: their mean losses, and how far those of another may be."""

    means: tuple[float, ...]
    limits: tuple[float, ...]

    def farthest(self, losses: Sequence[float]) -> tuple[float, int]:
        """How far ``losses`` lie from the mean at most, in limits, and in which block that is."""
        far = self.deviations(losses)
        return max(far), far.index(max(far))

    def deviations(self, losses: Sequence[float]) -> list[float]:
        """How far ``losses`` lie from the mean in each block, in limits."""
        pairs = zip(in_blocks(losses), self.means, self.limits, strict=False)
        return [abs(loss - mean) / limit if loss != mean else 0.0 for loss, mean, limit in pairs]


def in_blocks(losses: Sequence[float]) -> list[float]:
    """The first loss, then the mean of each ten."""
    rest = [losses[i : i + _BLOCK] for i in range(1, len(losses), _BLOCK)]
    return [losses[0], *(statistics.fmean(block) for block in rest)]


def steps_of(block: int) -> tuple[int, int]:
    """How many steps have been made at the first loss of a block, and at its last."""
    return max((block - 1) * _BLOCK + 1, 0), block * _BLOCK


def spread_of(trainings: Sequence[Sequence[float]]) -> Spread:
    """Where the losses of one more training lie, by those of `RUNS` trainings.

    It is the prediction interval for one more observation from a normal distribution, mean +- t * s *
    sqrt(1 + 1/n) (Hahn and Meeker, Statistical Intervals, 1991, section 4.7), for all blocks at once by
    Bonferroni's inequality. s^2 is the mean over a block and its neighbours, lest it be small by accident
    where trainings cross. The loss's own rounding comes on top.
    """
    blocks = list(zip(*map(in_blocks, trainings), strict=True))
    means = [statistics.fmean(losses) for losses in blocks]
    variances = [statistics.variance(losses) for losses in blocks]
    factor = STUDENT * (1 + 1 / len(trainings)) ** 0.5
    limits = []
    for number, mean in enumerate(means):
        around = variances[max(number - 1, 0) : number + 2]
        limits.append(factor * statistics.fmean(around) ** 0.5 + 1e-12 * abs(mean))
    return Spread(tuple(means), tuple(limits))


def variants(call: Call) -> Iterator[Function]:
    """`RUNS` references that are all right, and differ in rounding: half compute in float64.

    Each has a seed of its own for what an implementation is free to do with the last digit of every result
    and every gradient of an argument: elements differ by chance, by at most half of their dtype's epsilon, and
    a tensor as a whole by at most a quarter, the same way in every call, as where one rounds down always.
    """
    for seed in range(RUNS):
        yield reference(call, wide=seed % 2 == 0, rounding=_Rounding(seed))


def reference(
    call: Call, *, wide: bool, rounding: _Rounding | None = None, gradients_times: float = 1.0
) -> Function:
    """The reference as a function of arguments at the call's dtypes, giving results at their own.

    Raises `ReferenceFailed`, when it is called, where the reference raises. ``gradients_times`` makes the
    gradients of all arguments wrong by a factor.
    """
    dtypes = [r.dtype for r in continuous(_of_reference(call, call.cloned().arguments))]

    def gradient_of(place: int) -> Callable[[torch.Tensor], torch.Tensor]:
        def changed(gradient: torch.Tensor) -> torch.Tensor:
            wrong = gradient if gradients_times == 1 else gradient * gradients_times
            return wrong if rounding is None else rounding.rounded(wrong, gradient.dtype, place)

        return changed

    def function(arguments: Mapping[str, Any]) -> Sequence[torch.Tensor]:
        given = dict(arguments)
        for place, name in enumerate(call.tensors):
            tensor = given[name]
            if tensor.requires_grad:
                given[name] = tensor.view_as(tensor)
                given[name].register_hook(gradient_of(place))
            if wide and (tensor.is_floating_point() or tensor.is_complex()):
                given[name] = given[name].to(torch.promote_types(tensor.dtype, torch.float64))
        results = continuous(_of_reference(call, given))
        return [
            r.to(dtype) if rounding is None else rounding.rounded(r, dtype, _RESULTS + number)
            for number, (r, dtype) in enumerate(zip(results, dtypes, strict=True))
        ]

    return function


def _of_reference(call: Call, arguments: Mapping[str, Any]) -> list[torch.Tensor]:
    try:
        with running_reference():
            return called(call.spec, call.spec.reference, arguments)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # SystemExit, too
        raise ReferenceFailed(
            f"{call.spec.name}: the reference raises {type(error).__name__} in training: {error}",
            hint="Write the reference with operations of PyTorch that have gradients.",
        ) from error


class _Rounding:
    """What one implementation does with last digits."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._factors: dict[int, Iterator[torch.Tensor]] = {}

    def rounded(self, tensor: torch.Tensor, dtype: torch.dtype, place: int) -> torch.Tensor:
        """The tensor in ``dtype``, each element some way off; ``place`` names the tensor."""
        if place not in self._factors:
            drawn = self._drawn(tensor.shape, torch.finfo(dtype).eps, place)
            self._factors[place] = itertools.cycle(drawn)
        return (tensor * next(self._factors[place])).to(dtype)

    def _drawn(self, sizes: Sequence[int], eps: float, place: int) -> list[torch.Tensor]:
        """Factors for some calls: drawing them for each would take most of the time."""
        generator = torch.Generator().manual_seed(100_000 + 1000 * self._seed + place)
        whole = torch.rand((), generator=generator, dtype=torch.float64) - 0.5
        by_chance = [
            torch.rand(sizes, generator=generator, dtype=torch.float64) - 0.5 for _ in range(_CALLS)
        ]
        return [1 + eps * (one + whole / 2) for one in by_chance]
