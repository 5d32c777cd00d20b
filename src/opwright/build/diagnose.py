"""Turn a failed command's output into one short error."""

from __future__ import annotations

from opwright.build.lookup import Query
from opwright.build.plan import Plan
from opwright.build.stage import Stage
from opwright.errors import CompileError, OpwrightError


def explain_failure(query: Query, plan: Plan, stage: Stage, jobs: int) -> OpwrightError:
    """The error for the first command that failed."""
    for action in plan.actions:
        if action.code.exists():
            return CompileError(
                f"{action.name}: {action.log.read_text(errors='backslashreplace')[:4000]}"
            )
    return CompileError("the build failed")
