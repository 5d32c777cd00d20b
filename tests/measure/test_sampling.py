"""Samples are taken in turns, off the clock what is off the clock, and until there is a reason to stop."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from opwright.measure import sampling
from opwright.measure.sampling import Subject, sample
from opwright.measure.step import Step
from opwright.measure.stopping import Limits
from opwright.records.measurement import Series

ENOUGH = Limits(seconds=1e9)


@dataclass
class World:
    """A clock of its own, and a timer that takes what a call returns for its time in microseconds."""

    rounds: int = 1
    now: float = 0.0
    called: list[str] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    meaning: str = "made up"
    late: int = 0

    def monotonic(self) -> float:
        return self.now

    def times_us(self, steps: Sequence[Step]) -> list[float]:
        self.batches.append(len(steps))
        return [self._time_us(step) for step in steps]

    def _time_us(self, step: Step) -> float:
        time_us = float(step.prepare()())
        self.now += time_us / 1e6
        step.after(time_us)
        return time_us

    def subject(
        self,
        name: str = "one",
        time_us: Callable[[int], float] = lambda call: 100.0,
        recheck: Callable[[Any], bool] = lambda result: True,
    ) -> Subject:
        """One whose n-th call takes ``time_us(n)``."""

        def call() -> float:
            self.called.append(name)
            return time_us(self.called.count(name))

        return Subject(name, lambda: call, recheck)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    made = World()
    monkeypatch.setattr(sampling, "time", made)
    return made


def taken(world: World, *subjects: Subject, limits: Limits = ENOUGH, seed: int = 0) -> list[Series]:
    return sample(subjects, world, limits, process=3, seed=seed)


def unsettled(call: int) -> float:
    """Times that scatter too much for any precision."""
    return 100.0 if call % 2 else 200.0


def test_all_subjects_have_as_many_samples_also_where_only_one_needs_them(world: World) -> None:
    steady, restless = world.subject("steady"), world.subject("restless", unsettled)
    limits = Limits(seconds=1e9, max_samples=200)
    one, other = taken(world, steady, restless, limits=limits)
    assert len(one.times_us) == len(other.times_us) >= 200
    assert set(one.times_us) == {100.0}
    assert set(other.times_us) == {100.0, 200.0}
    assert one.process == other.process == 3


def rounds_of(world: World, seed: int) -> list[tuple[str, ...]]:
    """The order of three subjects in each round."""
    world.called.clear()
    subjects = [world.subject(name) for name in "abc"]
    taken(world, *subjects, seed=seed)
    order = world.called[sum(subject.warmup_calls for subject in subjects) :]
    return [tuple(order[place : place + 3]) for place in range(0, len(order), 3)]


def test_every_round_has_each_subject_once_in_an_order_that_is_drawn(world: World) -> None:
    rounds = rounds_of(world, 0)
    assert all(sorted(turns) == ["a", "b", "c"] for turns in rounds)
    assert len(set(rounds)) > 3, "not one order, and not two in turns"
    assert rounds == rounds_of(world, 0) != rounds_of(world, 1)


def test_what_a_call_is_warmed_up_with_is_no_sample(world: World) -> None:
    subject = world.subject(time_us=lambda call: max(100.0, 10_000.0 / call))
    (series,) = taken(world, subject)
    assert series.warmup_calls == subject.warmup_calls
    assert len(world.called) == series.warmup_calls + len(series.times_us)
    assert series.warmup_calls > 100, "until it no longer gets faster"
    assert set(series.times_us) == {100.0}


def test_a_warm_up_that_never_settles_ends_with_its_share_of_the_time(world: World) -> None:
    subject = world.subject(time_us=lambda call: 1e6 / call)
    taken(world, subject, limits=Limits(seconds=8.0))
    assert sum(1 / call for call in range(1, subject.warmup_calls)) < 2.0, "a quarter of 8 s"
    assert sum(1 / call for call in range(1, subject.warmup_calls + 1)) >= 2.0


def test_slow_calls_are_warmed_up_twice_all_the_same(world: World) -> None:
    subject = world.subject(time_us=lambda call: 1e6)
    taken(world, subject, limits=Limits(seconds=0.1))
    assert subject.warmup_calls == 2


def test_steady_samples_end_as_soon_as_there_are_as_many_as_asked(world: World) -> None:
    (series,) = taken(world, world.subject(), limits=Limits(seconds=1e9, min_samples=40))
    assert len(series.times_us) == 40
    assert series.stopped == "interval of the median is within 1 %"


def test_scattered_samples_end_with_the_limit_that_is_named(world: World) -> None:
    limits = Limits(seconds=1e9, max_samples=100)
    (series,) = taken(world, world.subject(time_us=unsettled), limits=limits)
    assert series.stopped == "sample limit"
    assert 100 <= len(series.times_us) <= 125


def test_the_time_limit_is_that_of_all_subjects_together(world: World) -> None:
    def seconds_of(*subjects: Subject) -> float:
        world.called.clear()
        series = taken(world, *subjects, limits=Limits(seconds=1.0))
        assert {each.stopped for each in series} == {"time limit"}
        return sum(sum(each.times_us) for each in series) / 1e6

    def slow(name: str) -> Subject:
        return world.subject(name, lambda call: 100 * unsettled(call))

    alone, three = seconds_of(slow("a")), seconds_of(slow("a"), slow("b"), slow("c"))
    assert 1.0 <= alone < 1.1
    assert 1.0 <= three < 1.2


def test_a_limit_that_comes_before_the_fewest_samples_ends_after_one_more_round(
    world: World,
) -> None:
    (series,) = taken(world, world.subject(time_us=lambda call: 0.4e6), limits=Limits(seconds=1.0))
    assert series.stopped == "time limit"
    assert len(series.times_us) == 4, "three until the time is up, and the one that is rechecked"


def test_calls_are_rechecked_by_chance_and_the_first_and_the_last_one_always(world: World) -> None:
    seen: list[int] = []

    def recheck(result: object) -> bool:
        seen.append(len(world.called))
        return True

    subject = world.subject(time_us=unsettled, recheck=recheck)
    (series,) = taken(world, subject, limits=Limits(seconds=1e9, max_samples=1000))
    assert seen[0] == 1, "before the first is worth anything"
    assert seen[-1] == len(world.called)
    assert len(seen) == pytest.approx(len(series.times_us) / 8, rel=0.3)
    assert {call % 8 for call in seen} == set(range(8)), "not in step with the calls"
    assert subject.rechecked == len(seen)


def test_what_is_not_looked_at_does_not_count_as_right(world: World) -> None:
    subject = world.subject(recheck=lambda result: False)
    taken(world, subject)
    assert subject.rechecked == 0


@pytest.mark.parametrize("seconds", [1e9, 0.02])
def test_what_becomes_wrong_later_is_found_whatever_ends_the_samples(
    world: World, seconds: float
) -> None:
    def recheck(result: float) -> bool:
        if result == 101.0:
            raise ArithmeticError("wrong")
        return True

    subject = world.subject(time_us=lambda call: 101.0 if call > 30 else 100.0, recheck=recheck)
    with pytest.raises(ArithmeticError, match="wrong"):
        taken(world, subject, limits=Limits(seconds=seconds, min_samples=1000))
    assert gc.isenabled()


def test_rechecks_take_none_of_the_samples_time(world: World) -> None:
    def recheck(result: object) -> bool:
        world.now += 3600
        return True

    subjects = [world.subject(name, recheck=recheck) for name in "ab"]
    series = taken(world, *subjects, limits=Limits(seconds=1.0))
    assert {each.stopped for each in series} == {"interval of the median is within 1 %"}
    assert {each.warmup_calls for each in series} == {24}


def test_a_timer_that_wants_rounds_together_gets_them_together(world: World) -> None:
    world.rounds = 10
    subjects = [world.subject(name) for name in "ab"]
    one, other = taken(world, *subjects)
    assert set(world.batches[-3:]) == {20}
    assert len(one.times_us) == len(other.times_us) == 30


def test_no_garbage_is_collected_within_samples(world: World) -> None:
    enabled: list[bool] = []

    def time_us(call: int) -> float:
        enabled.append(gc.isenabled())
        return 100.0

    taken(world, world.subject(time_us=time_us))
    assert set(enabled) == {False}
    assert gc.isenabled()
