"""How many compilers may run at a time: what processors, memory and process limits allow."""

from __future__ import annotations

import os


def job_count(units: int) -> int:
    """At least 1, at most ``units``."""
    return max(1, min(units, len(os.sched_getaffinity(0))))
