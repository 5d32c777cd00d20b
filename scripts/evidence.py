"""Print what the records under ``evidence/`` show, as the table in the README: ``python scripts/evidence.py``."""

from __future__ import annotations

import gzip
import json
from itertools import chain
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent.parent / "evidence"
NOT_RUN = "not run: no device"
# Column -> the records that it shows, where there are any.
COLUMNS: dict[str, tuple[str, ...]] = {
    "CUDA on an NVIDIA H200": ("h200/check.json.gz", "h200/learning.json.gz"),
    "HIP source on the same": ("h200/hip_on_nvidia.json.gz", "h200/learning_hip.json.gz"),
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
    lines = [
        f"| operator | {' | '.join(COLUMNS)} |",
        f"|---|{'---|' * len(COLUMNS)}",
        *(
            f"| `{name}` | {' | '.join(_cell(r, name) for r in records.values())} |"
            for name in names
        ),
        "",
        *_beside(),
    ]
    return "\n".join(lines)


def _cell(operators: dict[str, Any], name: str) -> str:
    if not operators:
        return NOT_RUN
    if name not in operators:
        return "no source"
    cases = operators[name]
    verdicts = [case["outcome"]["verdict"] for case in cases]
    findings = sum(len(case["outcome"]["findings"]) for case in cases)
    told = f"{verdicts.count('pass')} of {len(cases)} cases pass, {findings} findings"
    open_cases = verdicts.count("not checked")
    return f"{told}, {open_cases} not checked" if open_cases else told


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
    return [
        f"- Planted faults of device code caught there: {caught} of {len(tried)}{besides}; {kinds}.",
        f"- Cold build of `bias_gelu` for CUDA there: {ratio}, same kernel and flags.",
    ]


def _operators(paths: tuple[str, ...]) -> dict[str, list[Any]]:
    """Each operator's cases in the records; of a check that two records have, the later one's."""
    found: dict[str, dict[str, list[Any]]] = {}
    for operator in (operator for path in paths for operator in _json(path)["operators"]):
        by_check: dict[str, list[Any]] = {}
        for case in operator["cases"]:
            by_check.setdefault(case["check"], []).append(case)
        found.setdefault(operator["name"], {}).update(by_check)
    return {name: [*chain.from_iterable(checks.values())] for name, checks in found.items()}


def _json(path: str) -> Any:
    data = (FOLDER / path).read_bytes()
    return json.loads(gzip.decompress(data) if path.endswith(".gz") else data)


if __name__ == "__main__":
    main()
