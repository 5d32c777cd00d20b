"""Made-up samples with known truth: what one and the same call takes on machines that are noisy in many ways."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch

TYPICAL_US = 1000.0


@dataclass(frozen=True)
class Noise:
    """How a machine lies. Shares are relative to the time of a call.

    jitter            deviation of single calls, lognormal
    slow_factor       the machine's second speed; stretches of 50 to 500 ms at each
    drift             change from the first call of a process to its last, in a random direction
    spikes            probability that a call takes ten times as long
    process_bias      deviation of one subject's time from the other's, fixed for a process
    common_walk       deviation of an autocorrelated factor of both subjects (0.95 a call)
    own_walk          the same for one subject alone: placement that changes slowly (0.9 a pair)
    """

    jitter: float = 0.0
    slow_factor: float = 1.0
    drift: float = 0.0
    spikes: float = 0.0
    process_bias: float = 0.0
    common_walk: float = 0.0
    own_walk: float = 0.0


JITTER = Noise(jitter=0.05, process_bias=0.005)
NOISES = {
    "jitter": JITTER,
    "two speeds": replace(JITTER, slow_factor=1.5),
    "drift": replace(JITTER, drift=0.1),
    "spikes": replace(JITTER, spikes=0.02),
    "autocorrelation": replace(JITTER, common_walk=0.05, own_walk=0.01),
    "everything": Noise(0.05, 1.5, 0.1, 0.02, 0.005, 0.05, 0.01),
}
GPU = Noise(jitter=0.01, process_bias=0.002)


def made_pairs(
    noise: Noise,
    *,
    comparisons: int,
    processes: int,
    pairs: int,
    factor: float = 1.0,
    seed: int = 0,
) -> torch.Tensor:
    """Times in microseconds, shaped (comparisons, processes, pairs, 2); the first of a pair by ``factor``."""
    draw = torch.Generator().manual_seed(seed)
    rows = comparisons * processes

    def normal(deviation: float, *shape: int) -> torch.Tensor:
        return deviation * torch.randn(*shape, dtype=torch.float64, generator=draw)

    def uniform(*shape: int) -> torch.Tensor:
        return torch.rand(*shape, dtype=torch.float64, generator=draw)

    bias = normal(noise.process_bias, rows) + math.log(factor)
    direction = torch.where(uniform(rows) < 0.5, 1.0, -1.0) * math.log1p(noise.drift)
    slow = uniform(rows) < 0.5
    left_us = 1e3 * (50 + 450 * uniform(rows))
    common, own = normal(noise.common_walk, rows), normal(noise.own_walk, rows)
    times = torch.empty(rows, pairs, 2, dtype=torch.float64)
    every = torch.arange(rows)
    for number in range(pairs):
        first = (uniform(rows) < 0.5).long()
        own = 0.9 * own + normal(noise.own_walk * math.sqrt(1 - 0.9**2), rows)
        for turn in (first, 1 - first):
            common = 0.95 * common + normal(noise.common_walk * math.sqrt(1 - 0.95**2), rows)
            logs = normal(noise.jitter, rows) + common + direction * number / pairs
            logs += torch.where(turn == 0, bias + own, 0.0) + slow * math.log(noise.slow_factor)
            logs += (uniform(rows) < noise.spikes) * math.log(10)
            times[every, number, turn] = TYPICAL_US * logs.exp()
            left_us -= times[every, number, turn]
            slow ^= left_us < 0
            left_us = torch.where(left_us < 0, 1e3 * (50 + 450 * uniform(rows)), left_us)
    return times.reshape(comparisons, processes, pairs, 2)
