"""What a compile read, and what it looked for and did not find: what has to hold for a hit."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from typing import Any, NamedTuple

from opwright.build.digests import Digests
from opwright.build.roots import Roots
from opwright.files import digest_text


class Inputs(NamedTuple):
    """Files by the names that `Roots.display` gives them.

    ``reads`` maps each file to the digest of its content; ``missing`` maps folders to names that must
    not exist in them, ``folders`` lists paths that must stay folders. ``preprocessed`` maps a unit to
    the digest of its preprocessed text where the compiler could not be watched; None where it was.
    """

    reads: dict[str, str]
    missing: dict[str, list[str]]
    folders: tuple[str, ...] = ()
    preprocessed: dict[str, str] | None = None

    def digest(self) -> str:
        """One digest over all of it, whatever the order in which it was seen."""
        return digest_text(json.dumps(self._asdict(), sort_keys=True))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Inputs:
        """Read back a manifest's part; raises ``KeyError`` or ``TypeError`` for anything else."""
        folders = tuple(data["folders"])
        return cls(dict(data["reads"]), dict(data["missing"]), folders, data["preprocessed"])


def by_folder(paths: Iterable[str]) -> dict[str, list[str]]:
    """Paths as folders and names, sorted: where a folder is not there, neither is anything in it."""
    found: dict[str, list[str]] = {}
    for path in sorted(set(paths)):
        folder, _, name = path.rpartition("/")
        found.setdefault(folder, []).append(name)
    return found


def first_change(inputs: Inputs, roots: Roots, digests: Digests) -> tuple[str, str] | None:
    """The first input that no longer holds, as its name and what happened to it; None if all do."""
    for name, digest in inputs.reads.items():
        now = digests.of(roots.locate(name))
        if now != digest:
            return name, "is gone" if now is None else "changed"
    for folder, names in inputs.missing.items():
        where = f"{roots.locate(folder)}/"
        if os.access(where, os.F_OK):  # stat would raise, a thousand times a look-up
            for name in names:
                if os.access(where + name, os.F_OK):
                    return f"{folder}/{name}", "is new, and the compiler would find it"
    for name in inputs.folders:
        if not os.path.isdir(roots.locate(name)):
            return name, "was a folder"
    return None
