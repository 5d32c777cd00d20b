"""A timing made by hand: 2 ms of earlier work, and a call of 0.5 ms that takes 20 µs to issue."""

from __future__ import annotations

import itertools

from opwright.records.timing import Combination, Span, Timing

EARLIER_US, CALL_US, ISSUE_US = 2000.0, 500.0, 20.0
MEASURED = {
    (False, False): "issue time",
    (True, False): "issue time, too",
    (False, True): "earlier work and the call",
    (True, True): "the call",
}


def made_combination(before: bool, after: bool) -> Combination:
    begin = EARLIER_US if before else 10.0
    call_begin = max(EARLIER_US, begin)
    issued = begin + ISSUE_US
    end = call_begin + CALL_US if after else issued
    return Combination(
        before,
        after,
        MEASURED[before, after],
        (end - begin + 1, end - begin, end - begin - 1),
        (begin, end),
        (
            Span("host", "issue", begin, issued),
            Span("stream", "earlier work", 0.0, EARLIER_US),
            Span("stream", "call", call_begin, call_begin + CALL_US),
        ),
    )


TIMING = Timing(
    operator="bias_gelu",
    target="simulated",
    label="simulated",
    case="batch=1024,hidden=768 float32",
    earlier_us=EARLIER_US,
    combinations=tuple(
        made_combination(before, after)
        for before, after in itertools.product((False, True), repeat=2)
    ),
    device_us=CALL_US,
    spans_from="Lanes from events on the stream.",
)
