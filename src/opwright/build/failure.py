"""Keep what a failed build leaves for its reader: the whole log and the generated sources."""

from __future__ import annotations

import shlex
import shutil
from contextlib import suppress
from pathlib import Path

from opwright.build.plan import Plan
from opwright.build.stage import Stage
from opwright.files import publish_folder, remove_folder


def gather_log(plan: Plan, path: Path) -> None:
    """Write every command that ran, and its whole output, to one file."""
    with path.open("wb") as log_file:
        for action in plan.actions:
            if action.log.exists():
                head = f"== {action.name}: {shlex.join(action.command)}\n"
                log_file.write(head.encode(errors="surrogateescape"))
                with action.log.open("rb") as output:
                    shutil.copyfileobj(output, log_file)


def keep_failure(plan: Plan, stage: Stage, kept: Path) -> Path:
    """Keep the log and the generated sources in ``kept`` (the last failure wins); returns the log."""
    with suppress(OSError):  # on a full disk there is nothing to keep it on
        gather_log(plan, stage.generated / "build.log")
        if kept.exists():
            remove_folder(kept)
        publish_folder(stage.generated, kept)
    return kept / "build.log"
