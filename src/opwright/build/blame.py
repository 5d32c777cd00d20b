"""From a failed build to the one error to raise."""

from __future__ import annotations

import re
import shutil

from opwright.build.diagnose import Explained, FirstError, first_error, mentions
from opwright.build.failure import keep_failure
from opwright.build.jobs import JOB_BYTES, Jobs
from opwright.build.linking import link_fault
from opwright.build.plan import Action, Plan
from opwright.build.query import Query
from opwright.build.stage import Stage
from opwright.emulator.refusal import HINT as NOT_EMULATED
from opwright.errors import CompileError, LinkError, OpwrightError, StoreError
from opwright.process import ending

_NO_SPACE = re.compile(rb"No space left on device")
_KILLED = re.compile(
    rb"Killed signal terminated program \w+|internal compiler error: Killed|^Killed$", re.MULTILINE
)
_TOO_FULL_BYTES = 4 << 20


def blame(query: Query, plan: Plan, stage: Stage, jobs: Jobs, said: str) -> OpwrightError:
    """The error for the first command that failed; ``said`` is the output of what ran the commands."""
    failed = next((action for action in plan.actions if action.code.exists()), None)
    if failed is None:
        return _no_space(query, failed) or CompileError(
            f"{query.request.name}: the compile commands could not be run:\n{said.strip()}",
            hint="Look for a limit on processes, memory or disk space.",
        )
    kept = query.store.internal(".failed", query.folder.name)
    explained = _explain(query, plan, failed)
    unexplained = explained is None or not explained.certain
    if unexplained and (error := _no_space(query, failed) or _killed(failed, jobs)):
        keep_failure(plan, stage, kept)
        return error
    log_path = keep_failure(plan, stage, kept)
    if explained is None:
        explained = Explained(f"{failed.name}: {ending(_code(failed))}, without an error message")
    kind = LinkError if failed is plan.link else CompileError
    return kind(
        f"{query.request.name}: {explained.what}".replace(str(stage.generated), str(kept)),
        hint="\n".join(filter(None, (explained.hint, f"The compiler's whole output: {log_path}"))),
        log_path=str(log_path),
    )


def _explain(query: Query, plan: Plan, action: Action) -> Explained | None:
    if action is plan.link:
        names = {str(step.output): step.name for step in plan.steps}
        return link_fault(action.log, [step.output for step in plan.steps], names)
    error = first_error(action.log, lambda path: _is_users(query, path))
    if error is None:
        return None
    if name := query.toolchain.not_there(error.text):
        what = f"{name} is not emulated"
        return Explained(_sentence(error._replace(text=f"{what} ({error.text})")), NOT_EMULATED)
    return Explained(_sentence(error), _advice(plan, query, error.where), certain=error.line > 0)


def _advice(plan: Plan, query: Query, where: str) -> str:
    """What the unit that has the error in its own text says of it; empty for anybody's file."""
    names = {str(step.source): step.name for step in plan.steps}
    said = {unit.name: unit.advice for unit in query.request.units}
    return said.get(names.get(where, ""), "")


def _sentence(error: FirstError) -> str:
    place = f"{error.where}:{error.line}" if error.line else error.where
    lines = [f"{place}: error: {error.text}", *error.excerpt]
    if error.users_place:
        lines.insert(0, f"{error.users_place}: leads to this error:")
    if error.more:
        lines.append(f"({error.more} more error{'s' if error.more > 1 else ''} in the log)")
    return "\n".join(lines)


def _is_users(query: Query, path: str) -> bool:
    units = {str(unit.path) for unit in query.request.units if unit.path is not None}
    return query.roots.display(path).startswith("{root}") or path in units


def _no_space(query: Query, action: Action | None) -> StoreError | None:
    """On a full disk not even the message fits: so little room explains what nothing else does."""
    said = action is not None and mentions(action.log, _NO_SPACE)
    free_bytes = shutil.disk_usage(query.store.where).free
    if not said and free_bytes > _TOO_FULL_BYTES:
        return None
    during = f" while {action.name} was compiled" if action else ""
    return StoreError(
        f"no space left for the store {query.store.where}{during} ({free_bytes / 1e6:.1f} MB free)",
        hint="Free some (`opwright cache prune`), or set OPWRIGHT_STORE to a folder on another disk.",
    )


def _killed(action: Action, jobs: Jobs) -> CompileError | None:
    code = _code(action)
    by_signal = ending(code) if code > 128 else ""
    if not by_signal and mentions(action.log, _KILLED):
        by_signal = "killed by signal 9 (SIGKILL)"
    if not by_signal:
        return None
    memory = ", probably for lack of memory" if "signal 9" in by_signal else ""
    return CompileError(
        f"{action.name}: the compiler was {by_signal}{memory}: {jobs.at_once} at a time, "
        f"{jobs.free_bytes / 1e9:.1f} GB were free, {JOB_BYTES / 1e9:.1f} GB each were reckoned with",
        hint="Set OPWRIGHT_JOBS=1, or give it more memory.",
    )


def _code(action: Action) -> int:
    try:
        return int(action.code.read_text())
    except (OSError, ValueError):  # the disk was too full for it
        return 1
