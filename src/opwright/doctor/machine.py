"""The machine as the probes see it: an environment, a root folder and a way to run tools.

Nothing else is read from the process, so a test can show the probes any machine that it makes up.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from opwright.errors import OpwrightError
from opwright.process import ending, run_command


@dataclass(frozen=True)
class Answer:
    """What a tool said. ``why_not`` is empty when it ended with 0."""

    text: str
    why_not: str = ""

    @property
    def ok(self) -> bool:
        """Whether the tool ran and ended with 0."""
        return not self.why_not


@dataclass(frozen=True)
class Machine:
    """Where to look. ``root`` stands for ``/`` in the usual places of toolkits."""

    environment: Mapping[str, str]
    root: Path = Path("/")
    python: Path = Path(sys.executable)

    @classmethod
    def here(cls) -> Machine:
        """The machine that this process runs on."""
        return cls(dict(os.environ))

    def search_path(self) -> list[Path]:
        """The folders of PATH, in order, each once."""
        folders = self.environment.get("PATH", os.defpath).split(os.pathsep)
        return [Path(folder) for folder in dict.fromkeys(folders) if folder]

    def which(self, name: str) -> Path | None:
        """The program that a shell would start for ``name``."""
        if found := shutil.which(name, path=os.pathsep.join(map(str, self.search_path()))):
            return Path(found)
        return None

    def folder(self, variable: str) -> Path | None:
        """The folder that an environment variable names, whether it exists or not."""
        value = self.environment.get(variable, "")
        return Path(value) if value else None

    def usual(self, pattern: str) -> list[Path]:
        """What matches ``pattern`` below the root, such as ``opt/dtk*/env.sh``, newest name last."""
        return sorted(self.root.glob(pattern))

    def ask(
        self,
        command: Sequence[str | Path],
        *,
        timeout_seconds: float = 30.0,
        environment: Mapping[str, str] | None = None,
    ) -> Answer:
        """Run a tool and return what it printed. A tool that cannot run is an answer, not an error."""
        try:
            done = run_command(
                command,
                env=self.environment if environment is None else environment,
                timeout_seconds=timeout_seconds,
            )
        except OpwrightError as error:
            return Answer("", error.what)
        text = f"{done.stdout}\n{done.stderr}".strip()
        if done.ok:
            return Answer(text)
        last = text.splitlines()[-1] if text else "and printed nothing"
        return Answer(text, f"{command[0]}: {ending(done.returncode)}: {last}")
