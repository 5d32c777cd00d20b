"""Which planted faults of device code the checks find on a target: ``cuda``, or ``simulated`` without a GPU.

Each folder of ``tests/device_defects`` holds one operator with one deliberate fault, and the finding that it
has to give, and how many devices that takes. The operators that Opwright comes with should give none. The
last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from opwright.discovery import find_one, shipped_folders
from opwright.errors import OpwrightError
from opwright.records.detection import Detection
from opwright.records.detection import Trial as Answered
from opwright.session.checking import check_operator, checking
from opwright.session.environment import environment_facts
from opwright.session.planted import Defect, lacking, read_defect
from opwright.session.selftest import answered
from opwright.spec.target import Target, parse_target
from opwright.worker import Worker

DEFECTS = Path(__file__).parent.parent / "tests" / "device_defects"


@dataclass(frozen=True)
class Trial:
    """One planted fault: what has to be found (``check: kind``), and which of that was not, and why.

    ``not_checkable`` says what is not here that it takes to see the fault; then nothing was missed.
    """

    name: str
    fault: str
    expected: tuple[str, ...]
    missed: tuple[str, ...] = ()
    not_checkable: str = ""

    @property
    def answer(self) -> str:
        """In a word or three."""
        return "missed" if self.missed else "not checkable here" if self.not_checkable else "caught"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="simulated", help="default simulated")
    parser.add_argument("--defect", action="append", default=[], metavar="NAME", help="one folder")
    options = parser.parse_args()
    target = parse_target(options.target)
    folders = sorted(path.parent for path in DEFECTS.glob("*/finding.json"))
    with checking() as worker:
        trials = [
            tried(worker, folder, target)
            for folder in folders
            if not options.defect or folder.name in options.defect
        ]
        alarms = {} if options.defect else dict(false_alarms(worker, target))
    print_table(trials, alarms)
    facts = {"target": str(target), "environment": environment_facts()}
    print(json.dumps({**facts, "trials": [asdict(t) for t in trials], "false_alarms": alarms}))
    sys.exit(any(trial.missed for trial in trials) or any(alarms.values()))


def tried(worker: Worker, folder: Path, target: Target) -> Trial:
    """Run the checks that have to find something in the operator of a folder."""
    defect = read_defect(folder)
    trial = Trial(
        folder.name,
        defect.fault,
        tuple(f"{e.check}: {kind}" for e in defect.expected for kind in e.kinds),
        not_checkable=lacking(defect, target),
    )
    if not trial.not_checkable:
        trial = judged(trial, defect, list(answers(worker, defect, target)))
    told = "; ".join(trial.missed) or trial.not_checkable or "; ".join(trial.expected)
    print(f"{trial.answer:18} {folder.name}: {told}", flush=True)
    return trial


def answers(worker: Worker, defect: Defect, target: Target) -> Iterator[Answered]:
    """What each check that has to find it says of the fault."""
    checks = tuple(dict.fromkeys(expected.check for expected in defect.expected))
    folder = str(defect.folder)
    try:
        record = check_operator(worker, folder, find_one(folder), target, only=checks)
    except OpwrightError as error:
        yield Answered(defect.name, "build", "missed", str(error))
        return
    for expected in defect.expected:
        cases = [case for case in record.cases if case.check == expected.check]
        yield answered(defect, expected, cases)


def judged(trial: Trial, defect: Defect, found: list[Answered]) -> Trial:
    """A fault is missed where one check misses it, and not checkable where none could look."""
    missed = tuple(f"{each.check}: {each.reason}" for each in found if each.answer == "missed")
    whole = Detection(tuple(found), ()).by_defect()[defect.name]
    why = "; ".join(each.reason for each in found) if whole == "not checkable" else ""
    return replace(trial, missed=missed, not_checkable=why)


def false_alarms(worker: Worker, target: Target) -> Iterator[tuple[str, list[str]]]:
    """The findings on each operator that Opwright comes with; all of them are right."""
    for name, folder in shipped_folders().items():
        record = check_operator(worker, str(folder), find_one(str(folder)), target)
        kinds = [f"{case.check}: {f.kind}" for case in record.cases for f in case.outcome.findings]
        print(f"{len(kinds):7} findings in {name}, of {len(record.cases)} cases", flush=True)
        yield name, sorted(set(kinds))


def print_table(trials: list[Trial], alarms: dict[str, list[str]]) -> None:
    print("\n| planted fault | found as | |\n|---|---|---|")
    for trial in trials:
        print(f"| {trial.fault} | {'; '.join(trial.expected)} | {trial.answer} |")
    caught = [trial.answer for trial in trials].count("caught")
    checkable = sum(trial.answer != "not checkable here" for trial in trials)
    print(
        f"\n{caught} of {checkable} caught, {len(trials) - checkable} not checkable here; "
        f"findings on correct operators: {sum(map(len, alarms.values()))}"
    )


if __name__ == "__main__":
    main()
