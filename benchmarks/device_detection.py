"""Which planted faults of device code the checks find on a target: ``cuda``, or ``simulated`` without a GPU.

Each folder of ``tests/device_defects`` holds one operator with one deliberate fault, and the finding that it
has to give. The operators that Opwright comes with should give none. The last line is JSON.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from opwright.discovery import find_one, shipped_folders
from opwright.errors import OpwrightError
from opwright.records.run import OperatorRecord
from opwright.session.checking import check_operator, checking
from opwright.session.environment import environment_facts
from opwright.session.planted import Expected, read_defect
from opwright.spec.target import Target, parse_target
from opwright.worker import Worker

DEFECTS = Path(__file__).parent.parent / "tests" / "device_defects"


@dataclass(frozen=True)
class Trial:
    """One planted fault: what has to be found (``check: kind``), and which of that was not."""

    name: str
    fault: str
    expected: tuple[str, ...]
    missed: tuple[str, ...]


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
    named = tuple(f"{e.check}: {kind}" for e in defect.expected for kind in e.kinds)
    checks = tuple(dict.fromkeys(expected.check for expected in defect.expected))
    try:
        record = check_operator(worker, str(folder), find_one(str(folder)), target, only=checks)
        missed = tuple(name for e in defect.expected for name in missing(e, record))
    except OpwrightError as error:
        missed = (str(error),)
    print(
        f"{'missed' if missed else 'caught':7} {folder.name}: {'; '.join(missed or named)}",
        flush=True,
    )
    return Trial(folder.name, defect.fault, named, missed)


def missing(expected: Expected, record: OperatorRecord) -> Iterator[str]:
    """What has to be found and was not."""
    found = [
        finding
        for case in record.cases
        if case.check == expected.check
        for finding in case.outcome.findings
    ]
    for kind in expected.kinds:
        said = [finding.message for finding in found if finding.kind == kind]
        if not any(all(part in message for part in expected.says) for message in said):
            yield f"{expected.check}: {kind}"


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
        print(
            f"| {trial.fault} | {'; '.join(trial.expected)} | {'missed' if trial.missed else 'caught'} |"
        )
    caught = sum(not trial.missed for trial in trials)
    print(
        f"\n{caught} of {len(trials)} caught; findings on correct operators: {sum(map(len, alarms.values()))}"
    )


if __name__ == "__main__":
    main()
