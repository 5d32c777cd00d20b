"""The lanes of a timing are to scale, and its table has the record's numbers."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from made_timing import MEASURED, TIMING
from opwright.records.timing import Combination, Span, Timing
from opwright.report.timing import lanes, timing_report


def shown(timing: Timing, *, ascii_only: bool = False) -> str:
    console = Console(file=io.StringIO(), width=80)
    console.print(timing_report(timing, ascii_only=ascii_only), crop=False)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_each_way_has_its_median_and_what_that_is() -> None:
    lines = [line.split() for line in shown(TIMING).splitlines()]
    rows = {
        (False, False): ("no", "no", "20", "µs"),
        (False, True): ("no", "yes", "2.49", "ms"),
        (True, False): ("yes", "no", "20", "µs"),
        (True, True): ("yes", "yes", "500", "µs"),
    }
    for how, cells in rows.items():
        assert [*cells, *MEASURED[how].split()] in lines


def test_the_headline_says_that_a_simulated_time_is_no_devices() -> None:
    text = " ".join(shown(TIMING).split())
    assert text.startswith(
        "bias_gelu on simulated (simulated: no time here is a device's), "
        "batch=1024,hidden=768 float32, beside 2 ms of earlier work"
    )
    assert "The call's own time on the device: 500 µs between events." in text
    assert "Lanes from events on the stream." in text


def test_a_host_has_no_device_time_and_no_earlier_work() -> None:
    host = replace(TIMING, label="hardware", earlier_us=0.0, device_us=None, spans_from="")
    text = " ".join(shown(host).split())
    assert text.startswith("bias_gelu on simulated, batch=1024,hidden=768 float32 waits before")
    assert "own time on the device" not in text


def test_lanes_are_to_one_scale() -> None:
    way = Combination(
        True,
        True,
        "",
        (1.0,),
        (40.0, 80.0),
        (
            Span("host", "issue", 40.0, 44.0),
            Span("stream", "earlier work", 0.0, 20.0),
            Span("stream", "call", 60.0, 79.0),
        ),
    )
    assert list(lanes(way, width=8)) == [
        "clock       ├──┤",
        "host        █",
        "stream  ░░░   ██",
    ]


def test_what_is_too_short_to_be_seen_is_there_all_the_same() -> None:
    way = Combination(False, False, "", (1.0,), (5.0, 5.1), (Span("stream", "call", 0.0, 1e6),))
    clock, stream = lanes(way)
    assert clock == "clock   ┼"
    assert stream.startswith("stream  █")


def test_nothing_at_all_is_still_a_picture() -> None:
    still = Combination(False, False, "", (0.0,), (3.0, 3.0), (Span("host", "issue", 3.0, 3.0),))
    assert list(lanes(still)) == ["clock   ┼", "host    █"]


def test_in_ascii_every_sign_is_one_of_it() -> None:
    text = shown(TIMING, ascii_only=True).replace("µ", "u")
    assert text.isascii()
    assert "# the call   : earlier work   |-| the clock runs" in text
    pictures = [line for line in text.splitlines() if line.startswith("    stream")]
    assert len(pictures) == 4
    assert all({"#", ":"} <= set(line) for line in pictures)


def test_nothing_is_wider_than_80_columns() -> None:
    named = [
        replace(way, measured="earlier work and the call and then some more of it " * 3)
        for way in TIMING.combinations
    ]
    wide = replace(TIMING, case="batch=1x2x3x4," * 12, combinations=tuple(named))
    assert max(map(len, shown(wide).splitlines())) <= 80
