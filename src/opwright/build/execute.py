"""Run a plan: with ninja, or without it, more simply."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from opwright.build.plan import Action, Plan, ninja_text
from opwright.errors import ToolchainError
from opwright.log import log
from opwright.process import run_command


def run_plan(
    plan: Plan, folder: Path, environment: Mapping[str, str], *, jobs: int, timeout_seconds: float
) -> str | None:
    """Run the plan in ``folder``, ``jobs`` commands at a time.

    None when all went well, else what the runner said; what the commands said is in their logs.
    """
    refused: list[str] = []
    for ninja in ninja_candidates(environment):
        if reason := _refusal(ninja, environment):
            refused.append(f"{ninja} {reason}")
            continue
        (folder / "build.ninja").write_text(ninja_text(plan), errors="surrogateescape")
        command = [str(ninja), "-C", str(folder), "-j", str(jobs)]
        done = run_command(command, env=environment, timeout_seconds=timeout_seconds)
        return None if done.ok else done.stdout + done.stderr
    tried = "; ".join(refused) or f"none beside {sys.executable}, none on PATH"
    log(
        "build.ninja",
        f"no ninja that runs ({tried}): compiling without it; `pip install ninja` gets one",
    )
    return _run_directly(plan, environment, jobs, timeout_seconds)


def ninja_candidates(environment: Mapping[str, str]) -> list[Path]:
    """Where a ninja is: the ninja package's, beside the interpreter, on PATH; none twice."""
    found: list[Path] = []
    with suppress(ImportError, AttributeError):
        import ninja

        found.append(Path(ninja.BIN_DIR) / "ninja")
    found.append(Path(sys.executable).parent / "ninja")
    if on_path := shutil.which("ninja", path=environment.get("PATH")):
        found.append(Path(on_path))
    return list(dict.fromkeys(path for path in found if path.exists()))


def _refusal(ninja: Path, environment: Mapping[str, str]) -> str:
    try:
        said = run_command([ninja, "--version"], env=environment, timeout_seconds=10)
    except ToolchainError as error:  # a launcher whose interpreter is gone
        return f"({error.what})"
    return "" if said.ok else f"(exit code {said.returncode})"


def _run_directly(
    plan: Plan, environment: Mapping[str, str], jobs: int, timeout_seconds: float
) -> str | None:
    def run(action: Action) -> bool:
        shell = ["/bin/sh", "-c", action.shell()]
        return run_command(shell, env=environment, timeout_seconds=timeout_seconds).ok

    with ThreadPoolExecutor(max_workers=min(jobs, len(plan.compile) or 1)) as pool:
        compiled = all(list(pool.map(run, plan.compile)))
    return None if compiled and run(plan.link) else "a command failed"
