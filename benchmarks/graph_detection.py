"""Which planted faults of graph modes `opwright graph` finds: on ``cuda``, ``simulated`` or ``cpu``.

Each folder of ``tests/graph_defects`` holds one operator with one deliberate fault, the mode that shows it,
and the finding that it has to give. Without a GPU, what a host can show is shown there. The last line is
JSON. Findings on right operators are those of `opwright graph` on what Opwright comes with.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict

from opwright.session.environment import environment_facts
from opwright.session.graph_asked import GraphAsked
from opwright.session.graph_planted import GraphDefect, Tried, graph_defects, try_graph_defect
from opwright.session.graph_run import graphing
from opwright.spec.target import HOST, Target, parse_target


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--target", default="simulated", help="default simulated")
    parser.add_argument("--defect", action="append", default=[], metavar="NAME", help="one folder")
    options = parser.parse_args()
    target = parse_target(options.target)
    chosen = [d for d in graph_defects() if not options.defect or d.name in options.defect]
    tried: dict[str, tuple[GraphDefect, Target, Tried]] = {}
    with graphing(GraphAsked(target, ())) as worker:
        for defect in chosen:
            place = place_of(defect, target)
            found = try_graph_defect(worker, defect, place)
            tried[defect.name] = (defect, place, found)
            print(f"{found.answer:13} {defect.name} on {place}: {found.reason}", flush=True)
    print_table(list(tried.values()))
    facts = {"target": str(target), "environment": environment_facts()}
    trials = [
        {"name": name, "fault": defect.fault, "mode": defect.mode, "target": str(place)}
        | {"expected": [one.kind for one in defect.stated_on(place)]}
        | asdict(found)
        for name, (defect, place, found) in tried.items()
    ]
    print(json.dumps({**facts, "trials": trials}))
    sys.exit(any(found.answer == "missed" for _, _, found in tried.values()))


def place_of(defect: GraphDefect, target: Target) -> Target:
    """Where a fault is shown: one that a host shows is shown there, or on a GPU."""
    return HOST if defect.target == HOST and target.kind == "simulated" else target


def print_table(tried: list[tuple[GraphDefect, Target, Tried]]) -> None:
    print("\n| planted fault | mode | found as | |\n|---|---|---|---|")
    for defect, _, found in tried:
        answer = "not checkable here" if found.answer == "not checkable" else found.answer
        print(f"| {defect.fault} | {defect.mode} | {'; '.join(found.kinds)} | {answer} |")
    answers = [found.answer for _, _, found in tried]
    lacking = answers.count("not checkable")
    print(
        f"\n{answers.count('caught')} of {len(answers) - lacking} caught, {lacking} not checkable here"
    )


if __name__ == "__main__":
    main()
