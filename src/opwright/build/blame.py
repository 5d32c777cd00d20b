"""From a failed build to the one error to raise."""

from __future__ import annotations

from pathlib import Path

from opwright.build.diagnose import KILLED, FirstError, first_error, log_lines
from opwright.build.failure import keep_failure
from opwright.build.jobs import JOB_BYTES, Jobs
from opwright.build.linking import link_fault
from opwright.build.lookup import Query
from opwright.build.plan import Action, Plan
from opwright.build.stage import Stage
from opwright.errors import CompileError, LinkError, OpwrightError, StoreError
from opwright.process import ending


def blame(query: Query, plan: Plan, stage: Stage, jobs: Jobs, said: str) -> OpwrightError:
    """The error for the first command that failed; ``said`` is the output of what ran the commands."""
    failed = [action for action in plan.actions if action.code.exists()]
    if not failed:
        return CompileError(
            f"{query.request.name}: the compile commands could not be run:\n{said.strip()}",
            hint="Look for a limit on processes, memory or disk space.",
        )
    action = failed[0]
    code = int(action.code.read_text().strip() or 1)
    special = _no_space(query, action) or _killed(action, code, jobs)
    linked = None if special else _link_error(plan, action)
    error = (
        None if special or linked else first_error(action.log, lambda path: _is_users(query, path))
    )
    kept = query.store.internal(".failed", query.folder.name)
    log_path = keep_failure(plan, stage, kept)
    if special:
        return special
    if linked:
        what, hint = linked
        return LinkError(
            f"{query.request.name}: {what}", hint=_hint(hint, log_path), log_path=str(log_path)
        )
    what = f"{action.name} does not compile ({ending(code)})" if error is None else _sentence(error)
    what = what.replace(str(stage.generated), str(kept))
    return CompileError(
        f"{query.request.name}: {what}", hint=_hint("", log_path), log_path=str(log_path)
    )


def _sentence(error: FirstError) -> str:
    place = f"{error.where}:{error.line}" if error.line else error.where
    lines = [f"{place}: error: {error.text}", *error.excerpt]
    if error.users_place:
        lines.insert(0, f"{error.users_place}: leads to this error:")
    if error.more:
        lines.append(f"({error.more} more error{'s' if error.more > 1 else ''} in the log)")
    return "\n".join(lines)


def _hint(hint: str, log_path: Path) -> str:
    log = f"The compiler's whole output: {log_path}"
    return f"{hint}\n{log}" if hint else log


def _is_users(query: Query, path: str) -> bool:
    units = {str(unit.path) for unit in query.request.units if unit.path is not None}
    return query.roots.display(path).startswith("{root}") or path in units


def _no_space(query: Query, action: Action) -> StoreError | None:
    if not any("No space left on device" in line for line in log_lines(action.log)):
        return None
    return StoreError(
        f"no space left for the store {query.store.where} while {action.name} was compiled",
        hint="Free some (`opwright cache prune`), or set OPWRIGHT_STORE to a folder on another disk.",
    )


def _killed(action: Action, code: int, jobs: Jobs) -> CompileError | None:
    by_signal = ending(code) if code > 128 else ""
    if not by_signal and any(KILLED.search(line) for line in log_lines(action.log)):
        by_signal = "killed by signal 9 (SIGKILL)"
    if not by_signal:
        return None
    memory = ", probably for lack of memory" if "signal 9" in by_signal else ""
    return CompileError(
        f"{action.name}: the compiler was {by_signal}{memory}: {jobs.at_once} at a time, "
        f"{jobs.free_bytes / 1e9:.1f} GB were free, {JOB_BYTES / 1e9:.1f} GB each were reckoned with",
        hint="Set OPWRIGHT_JOBS=1, or give it more memory.",
    )


def _link_error(plan: Plan, action: Action) -> tuple[str, str] | None:
    if action is not plan.link:
        return None
    names = {str(step.output): step.name for step in plan.steps}
    fault = link_fault(action.log, [step.output for step in plan.steps], names)
    return fault.what, fault.hint
