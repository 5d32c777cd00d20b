"""A machine made up for a test: its own PATH with scripts as tools, and its own root folder."""

from __future__ import annotations

from pathlib import Path

from opwright.doctor.machine import Machine


class FakeMachine:
    """Tools are real programs (shell scripts), so what is tested is how they are run and read."""

    def __init__(self, folder: Path) -> None:
        self.bin, self.root = folder / "bin", folder / "root"
        self.environment = {"PATH": str(self.bin)}
        for made in (self.bin, self.root):
            made.mkdir(parents=True)

    def tool(self, path: str | Path, script: str) -> Path:
        """An executable: a bare name is on PATH, ``/opt/x`` is below the root."""
        where = self.root / str(path).lstrip("/") if str(path).startswith("/") else self.bin / path
        where.parent.mkdir(parents=True, exist_ok=True)
        where.write_text(f"#!/bin/sh\n{script}\n")
        where.chmod(0o755)
        return where

    def says(self, path: str | Path, text: str) -> Path:
        """A tool that prints ``text`` whatever it is asked."""
        return self.tool(path, f"/bin/cat <<'EOF'\n{text}\nEOF")

    @property
    def machine(self) -> Machine:
        return Machine(self.environment, self.root, self.bin / "python")
