"""Take samples of several subjects in turns, so that whatever the machine does, it does to all of them."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from opwright.measure.step import Step, Timer
from opwright.measure.stopping import Limits, is_warm, why_stop
from opwright.measure.timers import without_collection
from opwright.records.measurement import Series

_WARM_UP_SHARE = 0.25  # of the time that sampling may take
_CHECKED = 0.125  # of the samples; by chance, so that no call is right for being the n-th
_LOOK_AFTER = 1.25  # look whether there are enough when there are so many times as many


@dataclass
class Subject:
    """What is timed under one name.

    ``prepare`` gives the next call, on fresh memory and with the cache in its state, off the clock.
    ``recheck`` is given what a sampled call returned. It raises where that is wrong, and says whether it
    has looked at all.
    """

    name: str
    prepare: Callable[[], Callable[[], Any]]
    recheck: Callable[[Any], bool]
    times_us: list[float] = field(default_factory=list)
    warmup_calls: int = 0
    rechecked: int = 0
    recheck_seconds: float = 0.0

    def step(self, *, checked: bool) -> Step:
        """The next sample; what its call returns is looked at where ``checked`` says so."""
        return Step(self.prepare, self._recheck if checked else _drop)

    def _recheck(self, result: Any) -> None:
        started = time.monotonic()
        self.rechecked += self.recheck(result)
        self.recheck_seconds += time.monotonic() - started


def sample(
    subjects: Sequence[Subject], timer: Timer, limits: Limits, *, process: int, seed: int
) -> list[Series]:
    """Time every subject once a round, in random order, until all have enough samples.

    The time limit counts for all subjects together, and rechecks do not count; one more round is taken
    and rechecked when it has passed. Sample i of one subject and sample i of another are a pair: they are
    neighbours in time. Raises what ``recheck`` raises.
    """
    with without_collection():
        for subject in subjects:
            _warm_up(subject, timer, limits)
        timer.late = 0
        stopped = _rounds(subjects, timer, limits, random.Random(seed))
    return [Series(process, tuple(each.times_us), each.warmup_calls, stopped) for each in subjects]


def _warm_up(subject: Subject, timer: Timer, limits: Limits) -> None:
    """Call until the times have settled, or the share of the time limit is spent."""
    spent = _clock([subject])
    times: list[float] = []
    while not is_warm(times) and (len(times) < 2 or spent() < _WARM_UP_SHARE * limits.seconds):
        times += timer.times_us([subject.step(checked=not times)])
    subject.warmup_calls = len(times)


def _rounds(subjects: Sequence[Subject], timer: Timer, limits: Limits, order: random.Random) -> str:
    """Fill the subjects' samples; returns why there are no more."""
    spent = _clock(subjects)
    rounds, look_at = 0, limits.min_samples
    while True:
        turns = [
            each for _ in range(timer.rounds) for each in order.sample(subjects, len(subjects))
        ]
        rounds += timer.rounds
        checked = rounds >= look_at or spent() >= limits.seconds  # the last ones before each look
        steps = [subject.step(checked=checked or order.random() < _CHECKED) for subject in turns]
        for subject, time_us in zip(turns, timer.times_us(steps), strict=True):
            subject.times_us.append(time_us)
        if not checked:
            continue
        reasons = [why_stop(subject.times_us, spent(), limits) for subject in subjects]
        if all(reasons):
            return str(reasons[0])
        look_at = max(rounds + 1, int(_LOOK_AFTER * rounds))


def _clock(subjects: Sequence[Subject]) -> Callable[[], float]:
    """Seconds from now on; judging a result may take longer than many samples, and is none of their time."""

    def now() -> float:
        return time.monotonic() - sum(subject.recheck_seconds for subject in subjects)

    started = now()
    return lambda: now() - started


def _drop(result: Any) -> None:
    del result
