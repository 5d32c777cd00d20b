"""What the documents list is what there is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from opwright.checks.table import CHECKS

ROOT = Path(__file__).parent.parent


def test_the_design_lists_every_check_with_its_promise() -> None:
    text = (ROOT / "docs" / "design.md").read_text(encoding="utf-8")
    table = text.partition("| check | a pass says that |")[2].partition("\n\n")[0]
    rows = [line.strip("| ").split(" | ") for line in table.strip().splitlines()[1:]]
    assert rows == [[check.name, check.promise] for check in CHECKS]


def test_the_readme_shows_what_the_records_under_evidence_show() -> None:
    said = subprocess.run(
        [sys.executable, ROOT / "scripts" / "evidence.py"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = text.partition("<!-- evidence -->")[2].partition("<!-- /evidence -->")[0]
    assert shown.strip() == said.strip()


def test_the_page_of_results_shows_what_the_records_hold() -> None:
    said = subprocess.run(
        [sys.executable, ROOT / "scripts" / "results.py"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert (ROOT / "docs" / "results.md").read_text(encoding="utf-8") == said
