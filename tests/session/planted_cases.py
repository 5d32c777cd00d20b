"""A setup for the tests of running cases: each case names what it does to its process."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from opwright.records.verdict import passed
from opwright.running import operator_runs, running_reference


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Answer a case by doing what its ``extra`` says, and then passing."""
    del payload

    def answer(item: dict[str, Any]) -> dict[str, Any]:
        do = item["extra"]["do"]
        _DO[do]()
        figures = {"dies": os.getpid()} if do == "abort later" else {}
        return {**asdict(passed(figures)), "dirty": False}

    return answer


def _end_in_reference() -> None:
    with running_reference():
        os.abort()


def _end_in_reference_after_operator() -> None:
    operator_runs()
    _end_in_reference()


_DO: dict[str, Callable[[], object]] = {
    "pass": lambda: None,
    "abort": os.abort,
    "abort later": lambda: threading.Timer(0.01, os.abort).start(),
    "hang": lambda: time.sleep(60),
    "raise": lambda: os.stat("/nowhere"),
    "end in reference": _end_in_reference,
    "end in reference after operator": _end_in_reference_after_operator,
}
