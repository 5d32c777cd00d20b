"""Print what the records under ``evidence/`` show, as the table in the README: ``python scripts/evidence.py``.

A run of sources that have been changed since is marked: it is evidence of what they were.
"""

from __future__ import annotations

import gzip
import json
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from shipped_sources import are_changed, shipped_specs

from opwright.spec.operator import OperatorSpec

FOLDER = Path(__file__).parent.parent / "evidence"
PLANTED = FOLDER.parent / "tests" / "device_defects"
SANITIZED = "h200/sanitized.json.gz"
NOT_RUN = "not run: no device"
EARLIER = "earlier sources"
# Column -> the records that it shows, where there are any.
COLUMNS: dict[str, tuple[str, ...]] = {
    "CUDA on an NVIDIA H200": ("h200/check.json.gz",),
    "HIP source on the same": ("h200/hip_on_nvidia.json.gz",),
    "ROCm on an AMD GPU": (),
    "HIP on a Hygon DCU": (),
}


def main() -> None:
    """Print the table."""
    print(table())


def table() -> str:
    """One row an operator, one column a device; and what was measured beside it."""
    records = {name: _operators(paths) for name, paths in COLUMNS.items()}
    names = sorted({name for record in records.values() for name in record})
    specs = shipped_specs()
    lines = [
        f"| operator | {' | '.join(COLUMNS)} |",
        f"|---|{'---|' * len(COLUMNS)}",
        *(
            f"| `{name}` | {' | '.join(_cell(r.get(name), specs[name]) for r in records.values())} |"
            for name in names
        ),
        "",
        *_beside(),
    ]
    return "\n".join(lines)


def _cell(run: Run | None, spec: OperatorSpec) -> str:
    if run is None:
        return NOT_RUN
    verdicts = [case["outcome"]["verdict"] for case in run.cases]
    findings = sum(len(case["outcome"]["findings"]) for case in run.cases)
    told = [f"{verdicts.count('pass')} of {len(verdicts)} cases pass", f"{findings} findings"]
    if open_cases := verdicts.count("not checked"):
        told.append(f"{open_cases} not checked")
    if are_changed(spec, run.target, run.digests):
        told.append(EARLIER)
    return ", ".join(told)


def _beside() -> list[str]:
    found = _json("h200/device_detection.json")
    tried = [trial for trial in found["trials"] if not trial.get("not_checkable")]
    left_out = len(found["trials"]) - len(tried)
    caught = sum(not trial["missed"] for trial in tried)
    besides = f" ({left_out} not checkable there)" if left_out else ""
    alarms = sum(map(len, found["false_alarms"].values()))
    built = _json("h200/build_time.json")
    kinds = f"kinds of finding on the {len(found['false_alarms'])} operators above: {alarms}"
    ratio = f"{built['cold_build_ratio']:.1f} times as fast as `torch.utils.cpp_extension.load`"
    planted = {path.name for path in PLANTED.iterdir() if (path / "op.py").is_file()}
    later = len(planted - {trial["name"] for trial in found["trials"]})
    unseen = f"; {later} more have been planted since, not run there" if later else ""
    return [
        *_since(),
        f"- Planted faults of device code caught there: {caught} of {len(tried)}{besides}{unseen}; {kinds}.",
        _sanitized(),
        f"- Cold build of `bias_gelu` for CUDA there: {ratio}, same kernel and flags.",
    ]


def _sanitized() -> str:
    begin = "- NVIDIA's compute-sanitizer on the shipped operators there: "
    if not (FOLDER / SANITIZED).is_file():
        return f"{begin}not run."
    runs = _operators((SANITIZED,)).values()
    outcomes = [case["outcome"] for run in runs for case in run.by_check["device_sanitizers"]]
    passed = sum(outcome["verdict"] == "pass" for outcome in outcomes)
    findings = sum(len(outcome["findings"]) for outcome in outcomes)
    return f"{begin}{passed} of {len(outcomes)} calls pass, {findings} findings."


def _since() -> list[str]:
    """What was checked where kernels were timed, and what graph modes showed."""
    paths = sorted(path.relative_to(FOLDER) for path in (FOLDER / "h200/kernels").glob("check_*"))
    runs = _operators(tuple(map(str, paths)))
    cases = [case for run in runs.values() for case in run.cases]
    verdicts = [case["outcome"]["verdict"] for case in cases]
    findings = sum(len(case["outcome"]["findings"]) for case in cases)
    graphed = _json("h200/graph/graph.json.gz")["operators"]
    trials = [trial for operator in graphed for trial in operator["trials"]]
    passed = sum(trial["equal"]["verdict"] == "pass" for trial in trials)
    found = sum(len(trial["findings"]) for trial in trials)
    planted = [one["answer"] for one in _json("h200/graph/graph_detection.json")["trials"]]
    checkable = len(planted) - planted.count("not checkable")
    return [
        (
            f"- Numerics and capture in the runs that timed them there: {verdicts.count('pass')} of {len(verdicts)} "
            f"cases pass, {findings} findings."
        ),
        (
            f"- Graph modes there: results equal in {passed} of {len(trials)} trials, {found} findings; planted faults "
            f"caught: {planted.count('caught')} of {checkable}, {len(planted) - checkable} not checkable with that "
            "PyTorch."
        ),
    ]


@dataclass
class Run:
    """One operator's cases in the records of a device, and the digests of the sources that ran."""

    target: str
    by_check: dict[str, list[Any]] = field(default_factory=dict)
    digests: set[str] = field(default_factory=set)

    @property
    def cases(self) -> list[Any]:
        """Those of all checks."""
        return [*chain.from_iterable(self.by_check.values())]


def _operators(paths: tuple[str, ...]) -> dict[str, Run]:
    """Each operator's cases in the records; of a check that two records have, the later one's."""
    found: dict[str, Run] = {}
    for operator in (operator for path in paths for operator in _json(path)["operators"]):
        by_check: dict[str, list[Any]] = {}
        for case in operator["cases"]:
            by_check.setdefault(case["check"], []).append(case)
        run = found.setdefault(operator["name"], Run(operator["target"]))
        run.by_check.update(by_check)
        run.digests.add(operator["sources_digest"])
    return found


def _json(path: str) -> Any:
    data = (FOLDER / path).read_bytes()
    return json.loads(gzip.decompress(data) if path.endswith(".gz") else data)


if __name__ == "__main__":
    main()
