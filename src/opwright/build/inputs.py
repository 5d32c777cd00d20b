"""What a compile read, and what it looked for and did not find: what has to hold for a hit."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, field
from typing import Any

from opwright.build.digests import Digests
from opwright.build.roots import Roots
from opwright.files import digest_text


@dataclass(frozen=True)
class Inputs:
    """Files by the names that `Roots.display` gives them.

    ``reads`` maps each file to the digest of its content; ``missing`` lists paths that must not
    exist, ``folders`` paths that must stay folders. ``preprocessed`` maps a unit to the digest of
    its preprocessed text, where the compiler could not be watched; None where it was.
    """

    reads: dict[str, str]
    missing: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    preprocessed: dict[str, str] | None = field(default=None)

    def digest(self) -> str:
        """One digest over all of it."""
        parts = [f"{name} {digest}" for name, digest in sorted(self.reads.items())]
        parts += sorted(self.missing) + sorted(self.folders)
        parts += [f"{name} {digest}" for name, digest in sorted((self.preprocessed or {}).items())]
        return digest_text("\n".join(parts))

    def to_json(self) -> dict[str, Any]:
        """As the manifest keeps it."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Inputs:
        """Read back what `to_json` gave; raises ``KeyError`` or ``TypeError`` for anything else."""
        return cls(
            dict(data["reads"]),
            tuple(data["missing"]),
            tuple(data["folders"]),
            data["preprocessed"],
        )


def first_change(inputs: Inputs, roots: Roots, digests: Digests) -> tuple[str, str] | None:
    """The first input that no longer holds, as its name and what happened to it; None if all do."""
    for name, digest in inputs.reads.items():
        now = digests.of(roots.locate(name))
        if now != digest:
            return name, "is gone" if now is None else "changed"
    for name in inputs.missing:
        if os.path.exists(roots.locate(name)):
            return name, "is new, and the compiler would find it"
    for name in inputs.folders:
        if not os.path.isdir(roots.locate(name)):
            return name, "was a folder"
    return None
