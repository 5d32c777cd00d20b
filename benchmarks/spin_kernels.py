"""Kernels that spin for 3, 50 and 2000 µs of the device's own clock, as each timer measures them. Needs a GPU.

The truth is known to a tick of that clock, and to what launching and ending a kernel takes beside it. Prints
the median of each timer, and how far it is off.
"""

from __future__ import annotations

import json
import statistics
from functools import partial
from pathlib import Path
from typing import Any

import torch

from opwright import load
from opwright.devices.device import Device
from opwright.measure.captured import captured
from opwright.measure.sampling import Subject, sample
from opwright.measure.stopping import Limits
from opwright.measure.timers import timer_for
from opwright.session.environment import environment_facts

DURATIONS_US = (3, 50, 2000)
TIMERS = ("events", "host", "graph", "profiler")
SAMPLES = 100
MOST_OFF_US, MOST_OFF = 1.0, 0.05


def _trusted(result: object) -> bool:
    """Nothing is looked at: what is computed has no use."""
    del result
    return False


def main() -> None:
    """Measure every duration with every timer."""
    device = Device("cuda")
    spin = load(Path(__file__).parent / "spin", target="cuda")
    number = torch.ones(1, dtype=torch.int64, device=device.first)
    limits = Limits(seconds=5.0, min_samples=SAMPLES, max_samples=SAMPLES)
    rows: list[dict[str, Any]] = []
    for name in TIMERS:
        for duration_us in DURATIONS_US:
            call = partial(spin, number, 1000 * duration_us)
            call()
            timed = captured(call, device) if name == "graph" else call
            subject = Subject(name, lambda timed=timed: timed, _trusted)  # type: ignore[misc]
            (series,) = sample([subject], timer_for(name, device), limits, process=0, seed=0)
            median_us = statistics.median(series.times_us)
            off_us = median_us - duration_us
            within = abs(off_us) <= max(MOST_OFF_US, MOST_OFF * duration_us)
            row = {"asked_us": duration_us, "timer": name, "median_us": median_us, "within": within}
            rows.append(row)
            print(f"{duration_us:5} µs  {name:8}  {median_us:9.2f} µs  {off_us:+7.2f} µs  {within}")
    print(json.dumps({"environment": environment_facts(), "rows": rows}))


if __name__ == "__main__":
    main()
