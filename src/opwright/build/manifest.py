"""An entry's manifest: what the library is, what it was made of, and whether it is whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

from opwright.build.inputs import Inputs
from opwright.records.artifact import Artifact

MANIFEST = "manifest.json"
VERSION = 1


class Manifest(NamedTuple):
    """``manifest.json`` of one entry. ``created`` is seconds since 1970, ``seconds`` the build's."""

    name: str
    target: str
    folder: Path
    library: str
    size_bytes: int
    digest: str
    request_key: str
    build_key: str
    key_parts: dict[str, str]
    inputs: Inputs
    facts: dict[str, Any]
    created: float
    seconds: float
    unit_seconds: dict[str, float]

    def to_json(self) -> str:
        """The text of ``manifest.json``; the folder is where the file is, so it is not in it."""
        data = {**self._asdict(), "inputs": self.inputs._asdict()}
        del data["folder"]
        return json.dumps({"version": VERSION, **data}, indent=1, sort_keys=True)

    def artifact(
        self, *, hit: bool, seconds: float, reason: str = "", changed: str = ""
    ) -> Artifact:
        """The entry as the rest of Opwright sees it."""
        facts = {**self.facts, "unit_seconds": self.unit_seconds, "build_seconds": self.seconds}
        return Artifact(
            name=self.name,
            target=self.target,
            folder=self.folder,
            library=self.folder / self.library,
            build_key=self.build_key,
            digest=self.digest,
            key_parts=self.key_parts,
            facts=facts,
            hit=hit,
            seconds=seconds,
            reason=reason,
            changed=changed,
        )


def read_manifest(folder: Path) -> Manifest | None:
    """The manifest of a whole entry; None for one that is damaged, cut short or of another version."""
    try:
        data = json.loads((folder / MANIFEST).read_bytes())
        if data.pop("version") != VERSION:
            return None
        data["inputs"] = Inputs.from_json(data["inputs"])
        manifest = Manifest(folder=folder, **data)
        whole = (folder / manifest.library).stat().st_size == manifest.size_bytes
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return manifest if whole else None
