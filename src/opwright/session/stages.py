"""What an operator costs a program that starts: cold build, store hit, first call, and every call after it."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from opwright.errors import WorkerError
from opwright.process import run_command
from opwright.records.measurement import Stage
from opwright.spec.case import Case
from opwright.spec.target import Target

_LONGEST_SECONDS = 1800.0


class Use(NamedTuple):
    """The call of one operator that fresh programs make."""

    operator: str
    target: Target
    case: Case
    binding: str | None = None


def measure_stages(use: Use, repeats: int, told: Callable[[int, str], object]) -> tuple[Stage, ...]:
    """Four stages of one call, each ``repeats`` times in a fresh process; ``told`` hears of each that is done.

    Every cold build has a store of its own, and the hits come from the last one's. Raises `WorkerError`
    where such a process ends without an answer.
    """
    builds, starts = [], []
    with tempfile.TemporaryDirectory(prefix="opwright-stages-") as scratch:
        store = Path(scratch)
        for number in range(repeats):
            store = Path(scratch) / f"store-{number}"
            builds.append(_used(use, store))
            told(number, "cold build")
        for number in range(repeats):
            starts.append(_used(use, store))
            told(number, "store hit")
    return (
        Stage("cold build and load", tuple(1e6 * each["load_seconds"] for each in builds)),
        Stage("store hit and load", tuple(1e6 * each["load_seconds"] for each in starts)),
        Stage("first call", tuple(each["first_us"] for each in starts)),
        Stage("hot call", tuple(statistics.median(each["hot_us"]) for each in starts)),
    )


def _used(use: Use, store: Path) -> dict[str, Any]:
    """What one process says of its first use of the operator."""
    answer = store.with_suffix(".json")
    answer.unlink(missing_ok=True)
    finished = run_command(
        [
            *(sys.executable, "-m", "opwright.session.stage_child", answer),
            *(use.operator, str(use.target), json.dumps(use.case.to_json()), use.binding or ""),
        ],
        env={**os.environ, "OPWRIGHT_STORE": str(store)},
        timeout_seconds=_LONGEST_SECONDS,
    )
    if not finished.ok or not answer.is_file():
        raise WorkerError(
            f"{use.operator} came to no end in a fresh process:\n{finished.describe()}",
            hint="Run `opwright check` on the operator first.",
        )
    stages: dict[str, Any] = json.loads(answer.read_text())
    return stages
