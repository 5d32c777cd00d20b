"""The four ways on one call, in a process of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from opwright.errors import UsageError, WorkerError
from opwright.session.timing_run import show_timing
from opwright.spec.target import Target
from timed_operators import TIMED

SMALL = ({"n": 8},)


@pytest.fixture
def operators(tmp_path: Path) -> Path:
    file = tmp_path / "many.py"
    file.write_text(TIMED)
    return file


def test_on_a_host_all_four_ways_measure_the_call(operators: Path) -> None:
    timing = show_timing(f"{operators}:timed_slow", Target("cpu"), SMALL)
    assert (timing.operator, timing.case) == ("timed_slow", "n=8 float32")
    assert (timing.target, timing.label) == ("cpu", "hardware")
    assert (timing.earlier_us, timing.device_us, timing.spans_from) == (0.0, None, "")
    assert len(timing.combinations) == 4
    for way in timing.combinations:
        assert min(way.times_us) >= 1000, "it never sleeps less"
        assert way.measured.startswith("the call")


def test_one_that_comes_to_no_end_is_named(operators: Path) -> None:
    with pytest.raises(WorkerError, match=r"timing timed_refuses came to no end: .*out of order"):
        show_timing(f"{operators}:timed_refuses", Target("cpu"), SMALL)


@pytest.mark.parametrize("target", ["emulated:wave32", "npu"])
def test_targets_without_a_clock_are_refused(target: str, operators: Path) -> None:
    kind, _, architecture = target.partition(":")
    with pytest.raises(UsageError, match=f"nothing can be shown on the target {target}"):
        show_timing(f"{operators}:timed_right", Target(kind, architecture), None)


@pytest.mark.slow
@pytest.mark.xdist_group("simulated")
def test_the_simulated_device_shows_streams_and_is_labelled() -> None:
    shapes = ({"batch": (4,), "hidden": 8},)
    timing = show_timing("bias_gelu", Target("simulated"), shapes)
    assert (timing.label, timing.earlier_us) == ("simulated", 2000.0)
    assert timing.device_us is not None
    assert timing.spans_from == (
        "Lanes from events on the stream: the profiler does not see this device."
    )
    for way in timing.combinations:
        assert [span.name for span in way.spans] == ["issue", "earlier work", "call"]
    before_and_after = {(way.before, way.after): way.measured for way in timing.combinations}
    assert before_and_after[True, True] == "the call, from its issue to its end"
    assert before_and_after[False, True] == "earlier work and the call"
