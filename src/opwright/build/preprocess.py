"""The slower way to know that nothing changed, for compilers that cannot be watched.

The preprocessed text of every unit stands for whatever the compiler looks for and finds, or does not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from opwright.build.depfile import read_depfile
from opwright.build.digests import Digests
from opwright.build.inputs import Inputs, by_folder
from opwright.build.roots import Roots
from opwright.build.stage import Stage, steps_of, write_stage
from opwright.errors import OpwrightError
from opwright.files import digest_file
from opwright.process import run_command
from opwright.spec.request import BuildRequest
from opwright.toolchain.base import Job, Toolchain


def preprocessed_inputs(
    job: Job, toolchain: Toolchain, roots: Roots, digests: Digests
) -> Inputs | None:
    """What the units are now: their preprocessed texts, the files read for them, the libraries linked.

    None when a unit cannot be preprocessed.
    """
    reads: dict[str, str] = {}
    texts: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="opwright-") as folder:
        stage = Stage(Path(folder))
        write_stage(job.request, stage)
        here = job._replace(prefix_map=prefix_map(roots, stage))
        for step in steps_of(job.request, stage):
            command = toolchain.preprocess_command(here, step)
            try:
                done = run_command(
                    command,
                    cwd=job.request.root,
                    env=job.environment,
                    timeout_seconds=job.request.timeout_seconds,
                )
            except OpwrightError:
                return None
            if not done.ok:
                return None
            texts[step.name] = digest_file(step.output)
            for path in read_depfile(step.depfile, Path(job.request.root).absolute()):
                if stage.folder not in path.parents:
                    reads[roots.display(str(path))] = digests.of(str(path)) or "unreadable"
    missing = _libraries(job.request, roots, digests, reads)
    return Inputs(reads, by_folder(missing), (), texts)


def prefix_map(roots: Roots, stage: Stage) -> tuple[tuple[str, str], ...]:
    """Names for folders inside the binary, the innermost folder last."""
    names: Mapping[str, str] = {
        **{folder: "." if name == "root" else name for folder, name in roots.pairs},
        str(stage.generated): "generated",
    }
    return tuple(sorted(names.items(), key=lambda pair: len(pair[0])))


def _libraries(
    request: BuildRequest, roots: Roots, digests: Digests, reads: dict[str, str]
) -> list[str]:
    """Add the libraries that the request itself names to ``reads``; return where there are none."""
    missing = []
    for name in request.libraries:
        for folder in request.library_dirs:
            found = False
            for path in (folder / f"lib{name}.so", folder / f"lib{name}.a"):
                digest = digests.of(str(path))
                if digest is None:
                    missing.append(roots.display(str(path)))
                else:
                    reads[roots.display(str(path))] = digest
                    found = True
                    break
            if found:
                break
    return missing
