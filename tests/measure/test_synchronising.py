"""The lanes of a timeline, and what a clock shows on a host alone; streams are in tests/simulated."""

from __future__ import annotations

from opwright.measure.synchronising import four_ways, sees_device, spans_of
from opwright.records.timing import Span
from profiler_events import Event, launch, range_of

DELAY = "at::cuda::(anonymous namespace)::spin_kernel(long)"
HOST = [range_of("opwright.clock", 5000, 9000), range_of("opwright.issue", 5100, 6000)]


def test_lanes_are_the_two_ranges_and_every_kernel_since_the_first_of_them() -> None:
    events = [
        *launch("void ns::(anonymous namespace)::twice<float>(float*)", 5200, 8000, 500, number=2),
        *HOST,
        *launch(DELAY, 900, 1000, 7000, number=1),
        range_of("aten::add", 5150, 5900),
        Event("CUDA", "opwright.clock", 8000, 500),
    ]
    assert list(spans_of(events)) == [
        Span("host", "clock", 4.0, 8.0),
        Span("host", "issue", 4.1, 5.0),
        Span("stream", "earlier work", 0.0, 7.0),
        Span("stream", "ns::twice<float>", 7.0, 7.5),
    ]


def test_a_kernel_that_spins_is_the_call_where_it_is_not_pytorchs() -> None:
    events = [*HOST, *launch("spin_kernel(long)", 5200, 6000, 500, number=1)]
    assert [span.name for span in spans_of(events)] == ["clock", "issue", "spin_kernel"]


def test_without_a_kernel_the_clock_begins_the_timeline() -> None:
    assert [span.begin_us for span in spans_of(HOST)] == [0.0, 0.1]


def test_on_a_host_waiting_changes_nothing_and_all_four_ways_say_so() -> None:
    calls: list[None] = []
    ways = four_ways(lambda: calls.append(None), None)
    assert [(way.before, way.after) for way in ways] == [
        *((False, False), (False, True), (True, False), (True, True)),
    ]
    assert {way.measured for way in ways} == {"the call: on a CPU it has ended when it returns"}
    assert len(calls) == sum(len(way.times_us) for way in ways) == 4 * 21
    for way in ways:
        (issue,) = way.spans
        assert (issue.lane, issue.name) == ("host", "issue")
        assert way.clock_us[0] <= issue.begin_us <= issue.end_us <= way.clock_us[1]
    assert not sees_device(None)
