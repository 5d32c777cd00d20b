"""Compile and link a request in a private folder, and find out what the compiler read."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from opwright.build.blame import blame
from opwright.build.digests import settled, signature_of
from opwright.build.execute import run_plan
from opwright.build.failure import gather_log
from opwright.build.inputs import Inputs
from opwright.build.jobs import job_count
from opwright.build.observe import Changed, Unseen, observe
from opwright.build.plan import Plan, plan_build
from opwright.build.preprocess import prefix_map
from opwright.build.query import Query
from opwright.build.stage import Stage, write_stage
from opwright.build.trace import read_trace, traced, tracer
from opwright.errors import CompileError, ToolchainError
from opwright.files import remove_folder
from opwright.log import log

_ATTEMPTS = 6
_TICK_SECONDS = 0.03
_SETTLE_TRIES = 80


class Compiled(NamedTuple):
    """A linked library in the private folder, and what it was made of."""

    library: Path
    inputs: Inputs
    unit_seconds: dict[str, float]


def compile_request(query: Query, stage: Stage) -> Compiled:
    """Compile in ``stage``, again if a file changes meanwhile.

    Raises `CompileError` or `LinkError` with the first error in the user's file, and `CompileError`
    when the files do not hold still.
    """
    library = tracer(query.store, query.tools, query.environment)
    result: Compiled | Changed | Unseen = Unseen("there is no tracer")
    for _ in range(_ATTEMPTS):
        _let_settle(query)
        result = _compared(query, stage) if library is None else _watched(query, stage, library)
        if isinstance(result, Compiled):
            return result
        remove_folder(stage.folder)
        if isinstance(result, Unseen):
            library = None
            log("build.unseen", f"{result.reason}: comparing preprocessed sources, which is slower")
        else:
            log("build.again", f"{result.path} changed while it was compiled: compiling again")
            time.sleep(_TICK_SECONDS)
    raise CompileError(
        f"{query.request.name}: {result} during each of {_ATTEMPTS} compiles",
        hint="Find out what keeps writing to it.",
    )


def _watched(query: Query, stage: Stage, library: Path) -> Compiled | Changed | Unseen:
    """Compile, and take the inputs from what the compiler was seen to do."""
    record = stage.folder / "trace"
    with traced(library, record, query.environment) as environment:
        plan = _run(query, stage, environment)
    trace = read_trace(record, query.toolchain.traced_programs, stage.folder)
    seen = observe(trace, plan, stage.folder, query.roots, query.digests)
    query.digests.save()
    return _finished(plan, stage, seen) if isinstance(seen, Inputs) else seen


def _compared(query: Query, stage: Stage) -> Compiled | Changed:
    """Compile, and take the inputs from preprocessing before and after, which has to give the same."""
    before = query.preprocessed()
    plan = _run(query, stage, query.environment)
    if before is None or before != query.preprocessed():
        return Changed("a source or a header")
    return _finished(plan, stage, before)


def _run(query: Query, stage: Stage, environment: Mapping[str, str]) -> Plan:
    write_stage(query.request, stage)
    job = query.job._replace(
        environment={**environment, "TMPDIR": str(stage.temporary)},
        prefix_map=prefix_map(query.roots, stage),
    )
    plan = plan_build(job, query.toolchain, stage)
    jobs = job_count(len(plan.compile))
    log("build.jobs", f"{jobs.at_once} compiles at a time ({jobs.because})", jobs=jobs.at_once)
    failure = run_plan(
        plan,
        stage.folder,
        job.environment,
        jobs=jobs.at_once,
        timeout_seconds=query.request.timeout_seconds,
    )
    if failure is not None:
        raise blame(query, plan, stage, jobs, failure)
    for action in plan.actions:
        if not action.output.exists():  # `true`, or a wrapper that starts nothing
            raise ToolchainError(
                f"{action.command[0]} ended without an error and wrote no file for {action.name}",
                hint="Name a program in CXX that compiles and links C++.",
            )
    return plan


def _finished(plan: Plan, stage: Stage, inputs: Inputs) -> Compiled:
    """Move the library to where it is published from, and gather the log beside it."""
    library = stage.entry / plan.link.output.name
    plan.link.output.rename(library)
    gather_log(plan, stage.entry / "build.log")
    return Compiled(library, inputs, unit_seconds(plan, stage))


def unit_seconds(plan: Plan, stage: Stage) -> dict[str, float]:
    """Seconds of each command by its name, from ninja's own log; empty where ninja did not run."""
    try:
        lines = (stage.folder / ".ninja_log").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return {}
    names = {action.output.name: action.name for action in plan.actions}
    found = {}
    for line in lines[1:]:
        begin, end, _, output, *_ = line.split("\t")
        found[names[Path(output).name]] = (int(end) - int(begin)) / 1000
    return found


def _let_settle(query: Query) -> None:
    """Wait until a source that was saved this very moment is old enough to be told from its next version."""
    for unit in query.request.units:
        for _ in range(_SETTLE_TRIES):
            if unit.path is None or not unit.path.exists():
                break
            if settled(signature_of(unit.path.stat()), time.time_ns()):
                break
            time.sleep(_TICK_SECONDS)
