"""Stands in for the emulator, and lines of its report."""

from __future__ import annotations

from typing import Any

RACE = {
    "kind": "race",
    "level": "finding",
    "message": "shared memory",
    "kernel": "sum_kernel",
    "file": "sum.cu",
    "line": 7,
    "block": [1, 0, 0],
    "thread": [33, 0, 0],
}
NOTE = {**RACE, "level": "note"}


class Told:
    """Stands in for the emulator: it has an order, and says what it is told to."""

    def __init__(self, *said: dict[str, Any]) -> None:
        self.order = ""
        self.said = list(said)
        self.finished = self.resets = 0

    def set(self, option: str, value: str) -> None:
        assert option == "order"
        self.order = value

    def findings(self) -> list[dict[str, Any]]:
        return self.said

    def kernels(self) -> list[dict[str, Any]]:
        return [{"kernel": "sum_kernel", "launches": 1}]

    def finish(self) -> None:
        self.finished += 1

    def reset(self) -> None:
        self.resets += 1
