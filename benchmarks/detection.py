"""Which planted defects the checks find, beside what PyTorch's own tools find in the same operators.

One row a check, counting the defects that it has to find, and one for all operators; --list prints a
row a defect. The other side is ``torch.library.opcheck``, ``torch.autograd.gradcheck`` where the
operator gives gradients in float64, and ``torch.testing.assert_close`` against the reference at its
default tolerances, on three random inputs of typical sizes for each dtype. Both sides run in child
processes, so a crash counts as found on either. Neither should find anything in correct operators.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import trio

from opwright.discovery import find_one
from opwright.errors import OpwrightError, ToolchainError
from opwright.records.detection import Detection, Trial
from opwright.session.checking import checking
from opwright.session.kept_state import kept_state
from opwright.session.planted import correct_folders, defects
from opwright.session.selftest import Chosen, try_correct, try_defect
from opwright.watch.poison import poisonable_environment
from opwright.worker import Limits, Worker

NOT_BUILT = "not built here"
BEGIN, END = "<!-- detection -->", "<!-- /detection -->"


@dataclass(frozen=True)
class Seen:
    """What both sides found: Opwright's self-test, and by operator what the other tools said."""

    detection: Detection
    defects: dict[str, str]
    correct: dict[str, str]

    def opcheck_caught(self, names: list[str]) -> int:
        """In how many of these defects PyTorch's tools find something."""
        return sum(self.defects[name] not in ("", NOT_BUILT) for name in names)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="CHECK", help="one check's defects"
    )
    parser.add_argument(
        "--defect", action="append", default=[], metavar="NAME", help="one operator, by folder"
    )
    parser.add_argument(
        "--quick", action="store_true", help="leave out operators that have to be compiled"
    )
    parser.add_argument("--list", action="store_true", help="print a row a defect, too")
    parser.add_argument(
        "--readme", type=Path, metavar="FILE", help="put the table between its marks in FILE"
    )
    options = parser.parse_args()
    started = time.monotonic()
    try:
        seen = compare(Chosen(options.only, options.quick), options.defect)
    except OpwrightError as error:
        raise SystemExit(str(error)) from None
    if options.list:
        print("\n".join(listed(seen)) + "\n")
    print("\n".join(table(seen)))
    if options.readme:
        text = options.readme.read_text(encoding="utf-8")
        options.readme.write_text(with_table(text, table(seen)), encoding="utf-8")
    print(json.dumps({**figures(seen), "seconds": round(time.monotonic() - started)}))


def compare(chosen: Chosen, names: list[str]) -> Seen:
    """Put every defect and every correct operator before both sides."""
    planted = [d for d in chosen.defects(defects()) if not names or d.name in names]
    folders = [f for f in chosen.correct(correct_folders()) if not names or f.name in names]
    trials: list[Trial] = []
    correct, theirs, theirs_correct = [], {}, {}
    with checking() as ours, pytorchs_tools() as worker:
        for number, defect in enumerate(planted, 1):
            say(f"[{number}/{len(planted)}] {defect.name}")
            trials += try_defect(ours, defect, chosen)
            theirs[defect.name] = found_by_trio(worker, defect.folder, Limits(**defect.limits))
        for number, folder in enumerate(folders, 1):
            say(f"[{number}/{len(folders)}] {folder.name}, correct")
            correct.append(try_correct(ours, folder, chosen))
            theirs_correct[folder.name] = found_by_trio(worker, folder, Limits())
    return Seen(Detection(tuple(trials), tuple(correct)), theirs, theirs_correct)


@contextmanager
def pytorchs_tools() -> Iterator[Worker]:
    """A worker like that of the checks, with the same environment."""
    environment = poisonable_environment()
    with Worker(trio.SETUP, preload=trio.PRELOAD, environment=environment) as worker:
        yield worker


def found_by_trio(worker: Worker, folder: Path, limits: Limits) -> str:
    try:
        with kept_state():
            return trio.find_fault(worker, str(folder), find_one(str(folder)).spec, limits)
    except ToolchainError:
        return NOT_BUILT


def figures(seen: Seen) -> dict[str, int]:
    """The totals of both sides; defects and correct operators are counted by operator."""
    totals = seen.detection.totals()
    return {
        **totals,
        "opcheck_caught": seen.opcheck_caught(list(seen.defects)),
        "opcheck_false_alarms": sum(said not in ("", NOT_BUILT) for said in seen.correct.values()),
    }


def table(seen: Seen) -> list[str]:
    """Markdown, as it stands in the README."""
    lines = [
        "| check | planted | checkable here | caught | opcheck + gradcheck + assert_close |",
        "|---|---:|---:|---:|---:|",
    ]
    for check, counts in seen.detection.by_check().items():
        names = [trial.defect for trial in seen.detection.trials if trial.check == check]
        checkable = counts["caught"] + counts["missed"]
        lines.append(
            row(check, len(names), checkable, counts["caught"], seen.opcheck_caught(names))
        )
    total = figures(seen)
    lines.append(
        row(
            "**operators**",
            *(total[k] for k in ("planted", "checkable", "caught", "opcheck_caught")),
        )
    )
    tried = total["correct_operators"]
    alarms = (total["false_alarms"], total["opcheck_false_alarms"])
    lines.append(row("**false alarms on correct operators**", tried, tried, *alarms))
    return lines


def with_table(text: str, lines: list[str]) -> str:
    """The text with these lines between the marks."""
    before, _, rest = text.partition(BEGIN)
    _, mark, after = rest.partition(END)
    if not mark:
        raise SystemExit(f"the marks {BEGIN} and {END} are not in the file")
    return "\n".join([before + BEGIN, *lines, END + after])


def row(label: str, *counts: int) -> str:
    return f"| {label} | " + " | ".join(map(str, counts)) + " |"


def listed(seen: Seen) -> Iterator[str]:
    """A row a defect: what its checks say, and what PyTorch's tools say."""
    answers = seen.detection.by_defect()
    width = max(map(len, (*answers, *seen.correct)), default=0)
    for name, answer in answers.items():
        yield f"{name:{width}}  {answer:13}  {seen.defects[name][:100] or '-'}"
    for trial in seen.detection.correct:
        answer = "false alarm" if trial.alarms else "no finding"
        yield f"{trial.operator:{width}}  {answer:13}  {seen.correct[trial.operator][:100] or '-'}"
    for missed in seen.detection.trials:
        if missed.answer != "caught":
            yield f"{missed.defect}: {missed.check} {missed.answer}: {missed.reason}"
    for alarm in seen.detection.alarms:
        yield f"{alarm.operator}: {alarm.check} false alarm: {alarm.message}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
