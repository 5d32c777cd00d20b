"""Runs operators in child processes, so that what kills a process is a finding on one item."""

from __future__ import annotations

from opwright.worker.outcome import Ended, Limits, Output, Result
from opwright.worker.pool import Worker

__all__ = ["Ended", "Limits", "Output", "Result", "Worker"]
