"""Print what was timed on devices, as `docs/results.md` shows it: ``python scripts/results.py``.

Beside it stand the figures that three tutorials give for their own hardware. They are theirs, and comparable
with nothing here but each with its own neighbour.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from table_text import NONE, read_record, share_text, table, time_text

FOLDER = Path(__file__).parent.parent / "evidence" / "h200" / "timing"

# What a tutorial has measured of the same call: eager and fused, in microseconds.
THEIRS: dict[str, tuple[str, dict[str, tuple[float, float]]]] = {
    "bias_gelu": (
        "gfx936, a Hygon DCU",
        {
            "batch=1024,hidden=768 float32": (22.0, 15.35),
            "batch=4096,hidden=1024 float32": (90.12, 60.17),
            "batch=8192,hidden=2048 float32": (337.79, 224.44),
        },
    ),
    "swish": (
        "an AMD GPU, by the host's clock",
        {"shape=67108864 float32 with gradients": (14_520.0, 6_880.0)},
    ),
}


def main() -> None:
    """Print the page."""
    print("\n".join(page()))


def page() -> Iterator[str]:
    """All tables, a heading each."""
    yield "# What was timed on an NVIDIA H200"
    yield ""
    yield (
        "Printed by `python scripts/results.py` from the records in `evidence/h200/timing`, which "
        "`evidence/timing.sh` makes. Device time between events with the cache flushed, medians of five "
        "fresh processes; the ratio is of pairs, with its 99 % interval. What two events need themselves is no part "
        "of it. How the kernels compare with other libraries' is on [a page of its own](kernels.md)."
    )
    yield ""
    yield (
        "In the run of 2026-11-30 the kernel of bias_gelu's backward lacked registers that it had where it was tuned "
        "and has since: [the kernels](performance.md)."
    )
    for name in ("bias_gelu", "swish", "add2"):
        record = read_record(FOLDER / f"{name}.json.gz")
        for operator in record["operators"]:
            yield ""
            yield from _operator(operator)
    yield ""
    yield from _timing(json.loads((FOLDER / "add2_timing.json").read_text()))
    yield ""
    yield from _trust()


def _trust() -> Iterator[str]:
    yield "## Whether the timers can be trusted"
    yield ""
    yield "Kernels that spin for a time of the device's own clock, and the median of each timer:"
    yield ""
    rows = json.loads((FOLDER / "spin.json").read_text())["rows"]
    lengths = sorted({row["asked_us"] for row in rows})
    found = {(row["timer"], row["asked_us"]): row["median_us"] for row in rows}
    names = dict.fromkeys(row["timer"] for row in rows)
    yield from table(
        ["timer", *(time_text(length) for length in lengths)],
        ([name, *(time_text(found[name, length]) for length in lengths)] for name in names),
    )
    yield ""
    record = read_record(FOLDER / "trust.json.gz")
    usual, slower = record["parts"]
    yield (
        "The verdicts of whole comparisons, on a call of about 200 µs against itself, and against one that takes "
        f"{100 * (slower / usual - 1):.0f} % longer:"
    )
    yield ""
    told = record["comparisons"]
    verdicts = sorted({one["verdict"] for each in told.values() for one in each})
    yield from table(
        ["against", "comparisons", *verdicts],
        (
            [name, str(len(told[key])), *(str(_count(told[key], verdict)) for verdict in verdicts)]
            for name, key in (("itself", "same"), ("a slower one", "slower"))
        ),
    )


def _count(comparisons: list[dict[str, Any]], verdict: str) -> int:
    return sum(one["verdict"] == verdict for one in comparisons)


def _operator(operator: dict[str, Any]) -> Iterator[str]:
    hardware, theirs = THEIRS.get(operator["name"], ("", {}))
    yield f"## {operator['name']}"
    yield ""
    yield f"Binary `{operator['artifact']['digest'][:12]}`: {operator['checked']}."
    yield ""
    head = "| case | eager | Opwright | of a copy | takes | verdict |"
    rule = "|---|---|---|---|---|---|"
    if theirs:
        head, rule = f"{head} theirs: eager | theirs: fused |", f"{rule}---|---|"
    yield head
    yield rule
    rows = {(row["case"], row["subject"]): row for row in operator["rows"]}
    for ratio in operator["ratios"]:
        case = ratio["case"]
        own, eager = rows[case, "operator"], rows[case, ratio["against"]]
        cells = [
            case,
            time_text(eager["estimate"]["median_us"]),
            time_text(own["estimate"]["median_us"]),
            share_text(own["roofline"]),
            f"{ratio['ratio']:.3f} ({ratio['low']:.3f} to {ratio['high']:.3f})",
            ratio["verdict"],
        ]
        if theirs:
            cells += [time_text(each) for each in theirs[case]] if case in theirs else [NONE, NONE]
        yield f"| {' | '.join(cells)} |"
    doubts = list(dict.fromkeys(why for row in operator["rows"] for why in row["unreliable"]))
    for why in doubts:
        yield ""
        yield f"Unreliable in part: {why}."
    if theirs:
        yield ""
        yield f"*Theirs* was measured on {hardware}, by the tutorial's author: another machine."


def _timing(timing: dict[str, Any]) -> Iterator[str]:
    yield "## The four ways to time a call of add2"
    yield ""
    yield (
        f"{timing['case']}, beside {time_text(timing['earlier_us'])} of earlier work on its stream. "
        f"Between events the call takes {time_text(timing['device_us'])}."
    )
    yield ""
    yield "| waits before | waits after | median | what was measured |"
    yield "|---|---|---|---|"
    for each in timing["combinations"]:
        waits = ["yes" if each[side] else "no" for side in ("before", "after")]
        yield f"| {' | '.join(waits)} | {time_text(statistics.median(each['times_us']))} | {each['measured']} |"


if __name__ == "__main__":
    main()
