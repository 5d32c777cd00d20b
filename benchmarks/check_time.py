"""How long ``opwright check bias_gelu`` takes from an empty store, build included, and how many cases it runs."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "operator", nargs="?", default="bias_gelu", help="what to check (default bias_gelu)"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        seconds, record = check(options.operator, Path(scratch))
    cases = [case for operator in record["operators"] for case in operator["cases"]]
    print(f"{'check':12}{'cases':>8}{'seconds':>10}")
    for name in dict.fromkeys(case["check"] for case in cases):
        chosen = [case for case in cases if case["check"] == name]
        print(f"{name:12}{len(chosen):8}{sum(case['seconds'] for case in chosen):10.2f}")
    print(
        f"{'all':12}{len(cases):8}{seconds:10.2f}   (with the build and the start of Python and torch)"
    )
    verdicts = {operator["name"]: operator["verdict"] for operator in record["operators"]}
    print(json.dumps({"cases": len(cases), "seconds": round(seconds, 2), "verdicts": verdicts}))


def check(operator: str, scratch: Path) -> tuple[float, dict[str, object]]:
    """Run the command in a process of its own; wall time in seconds, and its record."""
    record = scratch / "record.json"
    environment = {**os.environ, "OPWRIGHT_STORE": str(scratch / "store")}
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "opwright", "check", operator, "--json", str(record)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - started
    if not record.is_file():
        raise SystemExit(f"the check failed:\n{done.stdout}{done.stderr}")
    return seconds, json.loads(record.read_text())


if __name__ == "__main__":
    main()
