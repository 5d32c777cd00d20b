"""What a compiler's driver makes of a command, where neither its file nor the command's words tell.

A driver that is a script adds what it likes, from files and variables of its own. A response file
(``@flags``) or a specs file stands for words that are read when the driver runs. In all these cases the
driver is asked what it would run (``-###``), and the answer is part of the key.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

from opwright.build.roots import Roots
from opwright.build.tools import question_of
from opwright.errors import OpwrightError
from opwright.files import digest_text
from opwright.frozen import replace
from opwright.process import run_command
from opwright.spec.request import HEADER_SUFFIXES
from opwright.toolchain.base import Job, Step, Toolchain

_STANDS_FOR_MORE = re.compile(r"(?:^|\s)(?:@|-{1,2}specs\b|--config\b|-wrapper\b)")
_OF_GCC = re.compile(r"[^\s\"]*/cc\w{6}(?=[.\s\"])")
_OF_CLANG = r"[^\s\"/]*-[0-9a-f]{6}(?=[./\s\"])"  # in the folder for temporary files
_SECONDS = 60.0
_SAY_THEIR_LANGUAGE = (".cu", ".hip", ".cl")  # their commands do


def hides_words(job: Job, toolchain: Toolchain) -> bool:
    """Whether what is compiled depends on more than the driver's file and the words of the command."""
    if not question_of(job.tools.driver, job.environment):
        return True
    flags = (*job.request.compile_flags, *job.request.link_flags)
    given = [job.environment.get(name, "") for name in toolchain.environment]
    return any(_STANDS_FOR_MORE.search(text) for text in (*flags, *given))


def expansion(job: Job, toolchain: Toolchain, roots: Roots) -> str:
    """A digest of the commands that the driver would run, its temporary files left out."""
    linking = replace(job.request, link_flags=(*job.request.link_flags, "-###"))
    suffixes = sorted({Path(unit.name).suffix for unit in job.request.units} - HEADER_SUFFIXES)
    # A driver that takes no notice of `-###` compiles: not beside the user's sources.
    with tempfile.TemporaryDirectory(prefix="opwright-asked-") as scratch:
        folder = Path(scratch)
        commands = [_compiling(job, toolchain, suffix, folder) for suffix in suffixes]
        linked = job._replace(request=linking)
        commands.append(toolchain.link_command(linked, (), folder / "library.so"))
        answers = [_answer(job, command, roots) for command in commands]
        return digest_text("".join(answers).replace(scratch, "TEMPORARY"))


def _compiling(job: Job, toolchain: Toolchain, suffix: str, folder: Path) -> list[str]:
    """The command for a unit of this suffix, which is asked what it would run."""
    language = () if suffix in _SAY_THEIR_LANGUAGE else ("-x", "c++")
    flags = (*job.request.compile_flags, "-###", *language)
    step = Step(f"unit{suffix}", Path("-"), folder / "unit.o", folder / "unit.d")
    request = replace(job.request, compile_flags=flags)
    return toolchain.compile_command(job._replace(request=request), step)


def _answer(job: Job, command: list[str], roots: Roots) -> str:
    try:
        said = run_command(
            command, env=job.environment, cwd=job.request.root, timeout_seconds=_SECONDS
        )
    except OpwrightError as error:
        return error.what  # the build will say it in full
    folder = re.escape(tempfile.gettempdir())
    text = re.sub(f"{folder}/{_OF_CLANG}", "TEMPORARY", said.stdout + said.stderr)
    return _OF_GCC.sub("TEMPORARY", roots.portable(text))
