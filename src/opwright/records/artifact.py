"""A finished binary and its manifest: the one thing that the compile side hands to the run side."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from opwright.frozen import Frozen, as_dict


class Artifact(Frozen):
    """A library in the store, as its manifest describes it.

    ``key_parts`` are the named fields that the build key was made of; two artifacts that differ
    differ in one of them. ``digest`` is the SHA-256 of the library file. ``hit`` says whether this
    call found it (True) or built it (False); ``reason`` says why it had to be built, and ``changed`` names
    the one field or file that made it be, empty for none.
    """

    name: str
    target: str
    folder: Path
    library: Path
    build_key: str
    digest: str
    key_parts: dict[str, str]
    facts: dict[str, Any]
    hit: bool
    seconds: float
    reason: str = ""
    changed: str = ""


def artifact_to_json(artifact: Artifact) -> dict[str, Any]:
    """Plain data, for another process or a record."""
    return {**as_dict(artifact), "folder": str(artifact.folder), "library": str(artifact.library)}


def artifact_from_json(plain: dict[str, Any]) -> Artifact:
    """The artifact that `artifact_to_json` wrote."""
    paths = {"folder": Path(plain["folder"]), "library": Path(plain["library"])}
    return Artifact(**{**plain, **paths})
