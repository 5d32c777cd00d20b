"""Folders that may move: how a path is written down so that it still holds after a move."""

from __future__ import annotations

import os
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
            if folder in text:
                text = _replaced(text, folder, f"{{{name}}}")
        return text


def _replaced(text: str, folder: str, name: str) -> str:
    """Replace a folder, and not the beginning of a longer name. Paths make no cheap regular expressions."""
    head, *parts = text.split(folder)
    for part in parts:
        longer = part != "" and (part[0].isalnum() or part[0] in "_.+-")
        head += (folder if longer else name) + part
    return head
