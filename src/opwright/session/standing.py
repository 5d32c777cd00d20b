"""What checks have said of a binary, kept beside it: whoever times it can say whether it is right."""

from __future__ import annotations

import json
from contextlib import suppress
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from opwright.build.store import Store
from opwright.files import write_atomic
from opwright.records.artifact import Artifact
from opwright.records.run import OperatorRecord, worst

_FOLDER = ".checked"


def remember_checks(record: OperatorRecord) -> None:
    """Keep the verdicts of a check run by the digest of the binary that it ran. Nothing for a callable.

    Verdicts of other checks from earlier runs stay. A store that cannot be written keeps nothing.
    """
    digest = record.artifact.get("digest")
    if not digest:
        return
    checks = {**_known(digest), **record.checks()}
    now = datetime.now(timezone.utc).isoformat(timespec="seconds")
    with suppress(OSError):
        _place(digest).parent.mkdir(exist_ok=True)
        write_atomic(_place(digest), json.dumps({"checks": checks, "at": now}) + "\n")


def what_checks_said(artifact: Artifact | None) -> str:
    """``passed 24 checks``, ``failed layouts``, or why nothing is known of this binary."""
    if artifact is None:
        return "not checked: a Python function has no binary of which checks could be remembered"
    checks = _known(artifact.digest)
    verdict = worst(v for v in checks.values() if v != "not checked")
    if verdict == "not checked":
        return "not checked: no run of `opwright check` on this binary is known here"
    if verdict == "pass":
        passed = sum(v == "pass" for v in checks.values())
        return f"passed {passed} check{'s' if passed > 1 else ''}"
    wrong = [name for name, each in checks.items() if each == verdict]
    return f"{'failed' if verdict == 'fail' else 'had errors in'} {', '.join(wrong)}"


def _place(digest: str) -> Path:
    return Store.default().internal(_FOLDER, f"{digest}.json")


def _known(digest: str) -> dict[str, Any]:
    """Verdicts by check; none where there is no note, or a damaged one."""
    try:
        checks = json.loads(_place(digest).read_text())["checks"]
    except (OSError, ValueError, TypeError, KeyError):
        return {}
    return checks if isinstance(checks, dict) else {}
