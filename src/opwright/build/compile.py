"""Compile and link a request in a private folder, and find out what the compiler read."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from opwright.build.diagnose import explain_failure
from opwright.build.execute import run_plan
from opwright.build.inputs import Inputs
from opwright.build.jobs import job_count
from opwright.build.lookup import Query
from opwright.build.plan import Plan, plan_build
from opwright.build.stage import Stage, write_stage
from opwright.toolchain.base import Job


@dataclass(frozen=True)
class Compiled:
    """A linked library in the private folder, and what it was made of."""

    library: Path
    inputs: Inputs
    unit_seconds: dict[str, float]


def compile_request(query: Query, stage: Stage) -> Compiled:
    """Compile in ``stage``; raises `CompileError` or `LinkError` with the first error in the user's file."""
    write_stage(query.request, stage)
    job = _private_job(query, stage)
    plan = plan_build(job, query.toolchain, stage)
    jobs = job_count(len(plan.compile))
    done = run_plan(
        plan,
        stage.folder,
        job.environment,
        jobs=jobs,
        timeout_seconds=query.request.timeout_seconds,
    )
    if not done:
        raise explain_failure(query, plan, stage, jobs)
    library = stage.entry / plan.link.output.name
    os.rename(plan.link.output, library)
    _keep_log(plan, stage)
    inputs = _depfile_inputs(query, plan, stage)
    return Compiled(library, inputs, unit_seconds(stage))


def _private_job(query: Query, stage: Stage) -> Job:
    names = [(folder, "." if name == "root" else name) for folder, name in query.roots.pairs]
    names.append((str(stage.generated), "generated"))
    environment = {**query.environment, "TMPDIR": str(stage.temporary)}
    prefix_map = tuple(sorted(names, key=lambda pair: len(pair[0])))
    return replace(query.job, environment=environment, prefix_map=prefix_map)


def _keep_log(plan: Plan, stage: Stage) -> None:
    with (stage.entry / "build.log").open("wb") as log:
        for action in plan.actions:
            log.write(
                f"== {action.name}\n{' '.join(action.command)}\n".encode(errors="surrogateescape")
            )
            with action.log.open("rb") as output:
                shutil.copyfileobj(output, log)


def unit_seconds(stage: Stage) -> dict[str, float]:
    """Seconds of each command, from ninja's own log; empty where ninja did not run."""
    found = {}
    try:
        lines = (stage.folder / ".ninja_log").read_text(errors="surrogateescape").splitlines()
    except OSError:
        return {}
    for line in lines[1:]:
        begin, end, _, output, *_ = line.split("\t")
        found[Path(output).name] = (int(end) - int(begin)) / 1000
    return found


def _depfile_inputs(query: Query, plan: Plan, stage: Stage) -> Inputs:
    reads = {}
    for step in plan.steps:
        words = step.depfile.read_text(errors="surrogateescape").replace("\\\n", " ").split()[1:]
        for path in words:
            if not path.startswith(str(stage.folder)):
                reads[query.roots.display(path)] = query.digests.of(path) or ""
    query.digests.save()
    return Inputs(reads)
