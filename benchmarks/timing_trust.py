"""Whether the verdicts on times can be trusted: a call against itself, and against one that is made slower.

The call takes ``--time-us`` and is made of equal parts; the slower one has more of them, by
``--slower`` percent. On a GPU it is one kernel that spins. Each comparison is what `opwright bench` does:
fresh processes, samples in turns in random order, the interval of their ratio, the verdict. The ratio that
was planted is known from the number of parts. Prints how often each verdict was given.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeAlias

import torch

from opwright.devices.device import device_for
from opwright.measure.sampling import Subject, sample
from opwright.measure.statistics import ratio_of_pairs
from opwright.measure.stopping import Limits
from opwright.measure.timers import default_timer, timer_for
from opwright.measure.verdict import verdict_of
from opwright.session.environment import environment_facts
from opwright.spec.target import parse_target
from opwright.worker import Limits as WorkerLimits
from opwright.worker import Worker

Pairs: TypeAlias = list[tuple[float, float]]

PARTS = 100
ELEMENTS = 1 << 13
GPU_CYCLES = 200  # a part of some 0.1 µs


def set_up(payload: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A worker's side: one comparison's share of one process."""
    device = device_for(parse_target(payload["target"]))
    torch.set_num_threads(1)
    timer = timer_for(default_timer(device), device)
    values = torch.rand(ELEMENTS)

    def of_parts(count: int) -> Callable[[], object]:
        if device is not None:  # torch's own tests spin so, too
            return lambda: torch.cuda._sleep(count * GPU_CYCLES)  # noqa: SLF001

        def call() -> None:
            for _ in range(count):
                values.sin_()

        return call

    def answer(item: dict[str, Any]) -> dict[str, Any]:
        calls = {name: of_parts(count) for name, count in item["parts"].items()}
        subjects = [Subject(n, lambda c=c: c, _trusted) for n, c in calls.items()]  # type: ignore[misc]
        taken = sample(
            subjects, timer, Limits(**item["limits"]), process=item["process"], seed=item["seed"]
        )
        return {"times": [list(each.times_us) for each in taken]}

    return answer


def parts_of(time_us: float, worker: Worker) -> int:
    """How many parts take so long, in a fresh process."""
    item = {
        "parts": {"a": PARTS, "b": PARTS},
        "limits": asdict(Limits(seconds=0.3)),
        "process": 0,
        "seed": 0,
    }
    times = next(worker.run([item]))["times"][0]  # type: ignore[index]
    worker.end_child()
    middle = sorted(times)[len(times) // 2]
    return max(20, round(PARTS * time_us / middle / 20) * 20)  # of which 5 % is whole


def compare_in_fresh(
    worker: Worker, parts: tuple[int, int], processes: int, limits: Limits, count: int
) -> list[dict[str, Any]]:
    """So many comparisons, each in fresh processes of its own."""
    found = []
    for number in range(count):
        pairs = []
        for process in range(processes):
            pairs.append(_pairs(worker, parts, limits, process, number))
            worker.end_child()
        found.append(_verdict(pairs))
    return found


def compare_in_shared(
    worker: Worker, parts: tuple[int, int], processes: int, limits: Limits, count: int
) -> list[dict[str, Any]]:
    """So many comparisons, all of which share their processes: a GPU takes long to be set up in one."""
    pairs: list[list[Pairs]] = [[] for _ in range(count)]
    for process in range(processes):
        for number in range(count):
            pairs[number].append(_pairs(worker, parts, limits, process, number))
        worker.end_child()
    return [_verdict(each) for each in pairs]


def _pairs(
    worker: Worker, parts: tuple[int, int], limits: Limits, process: int, number: int
) -> Pairs:
    item = {
        "parts": {"subject": parts[0], "other": parts[1]},
        "limits": asdict(limits),
        "process": process,
        "seed": 1000 * number + process,
    }
    first, second = next(worker.run([item]))["times"]  # type: ignore[index]
    return list(zip(first, second, strict=True))


def _verdict(pairs: Sequence[Pairs]) -> dict[str, Any]:
    """One comparison, as a record: the verdict and the ratio with its interval."""
    ratio = ratio_of_pairs(pairs)
    verdict, reason = verdict_of(ratio)
    return {
        "verdict": verdict,
        "ratio": ratio.value,
        "low": ratio.low,
        "high": ratio.high,
        "pairs": ratio.pairs,
        "reason": reason,
    }


def _trusted(result: object) -> bool:
    """Nothing is looked at: what is computed has no use."""
    del result
    return False


def main() -> None:
    """Run both kinds of comparison, and print and write what came of them."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--target", default="cpu")
    arguments.add_argument("--same", type=int, default=200, help="comparisons with itself")
    arguments.add_argument("--planted", type=int, default=100, help="comparisons with a slower one")
    arguments.add_argument("--slower", type=float, default=5.0, metavar="PERCENT")
    arguments.add_argument("--time-us", type=float, default=1000.0, help="of a call")
    arguments.add_argument(
        "--shared", action="store_true", help="comparisons share their processes"
    )
    arguments.add_argument("--processes", type=int, default=7)
    arguments.add_argument("--samples", type=int, default=60)
    arguments.add_argument("--json", type=Path)
    chosen = arguments.parse_args()
    limits = Limits(seconds=10.0, min_samples=chosen.samples, max_samples=chosen.samples)
    found: dict[str, list[dict[str, Any]]] = {"same": [], "slower": []}
    started = time.monotonic()
    sys.path.insert(0, str(Path(__file__).parent))
    take = compare_in_shared if chosen.shared else compare_in_fresh
    with Worker(
        "timing_trust:set_up",
        {"target": chosen.target},
        preload=("torch", "opwright.measure.sampling"),
        limits=WorkerLimits(case_seconds=120.0),
    ) as worker:
        parts = parts_of(chosen.time_us, worker)
        more = round(parts * (1 + chosen.slower / 100))
        for kind, count, first in (
            ("same", chosen.same, parts),
            ("slower", chosen.planted, more),
        ):
            found[kind] = take(worker, (first, parts), chosen.processes, limits, count)
    for kind, comparisons in found.items():
        told = Counter(each["verdict"] for each in comparisons)
        planted = 0.0 if kind == "same" else 100 * (more / parts - 1)
        print(f"planted {planted:.1f} %: {dict(told)} of {len(comparisons)}")
    seconds = time.monotonic() - started
    print(
        f"{parts} parts a call, {chosen.processes} processes, {chosen.samples} pairs each, {seconds:.0f} s"
    )
    if chosen.json:
        record = {
            "command": " ".join(["python", *sys.argv]),
            "environment": environment_facts(),
            "parts": [parts, more],
            "seconds": seconds,
            "comparisons": found,
        }
        chosen.json.write_text(json.dumps(record, indent=1) + "\n")


if __name__ == "__main__":
    main()
