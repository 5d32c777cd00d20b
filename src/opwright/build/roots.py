"""Folders that may move: how a path is written down so that it still holds after a move."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from opwright.spec.request import BuildRequest


class Roots(NamedTuple):
    """Pairs of an absolute folder and its name, longest folder first.

    A folder reached through a symbolic link is there twice: as it was given, and resolved.
    """

    pairs: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, request: BuildRequest) -> Roots:
        """The operator's own folder, called ``root``, and the request's named roots."""
        pairs: dict[str, str] = {}
        for name, folder in (*request.named_roots, ("root", request.root)):
            for path in (os.path.abspath(folder), os.path.realpath(folder)):
                if path != os.sep:
                    pairs.setdefault(path, name)
        return cls(tuple(sorted(pairs.items(), key=lambda pair: (-len(pair[0]), pair[0]))))

    def display(self, path: str) -> str:
        """``{root}/kernel.h`` for a path in a root; any other path as it is."""
        for folder, name in self.pairs:
            if path.startswith(folder) and path[len(folder) : len(folder) + 1] in ("", os.sep):
                return f"{{{name}}}{path[len(folder) :]}"
        return path

    def locate(self, display: str) -> str:
        """The path that ``display`` stands for on this machine, now."""
        if not display.startswith("{"):
            return display
        name, _, rest = display[1:].partition("}")
        for folder, known in self.pairs:
            if known == name:
                return folder + rest
        return display

    def portable(self, text: str) -> str:
        """A text (a flag, a generated source) with the folders in it replaced by their names."""
        for folder, name in self.pairs:
            text = re.sub(re.escape(folder) + r"(?![\w.+-])", f"{{{name}}}", text)
        return text
