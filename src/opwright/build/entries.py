"""List what a store holds. Reading needs no lock: an entry appears by one rename, complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from opwright.build.manifest import Manifest, read_manifest


def request_folders(version_folder: Path, prefix: str = "") -> Iterator[Path]:
    """The folders of all requests whose name begins with ``prefix``."""
    with suppress(OSError):
        for path in sorted(version_folder.iterdir()):
            if path.name.startswith(prefix) and not path.name.startswith(".") and path.is_dir():
                yield path


def entries(request_folder: Path) -> list[Manifest]:
    """The whole entries of one request, the last used first."""
    found: list[tuple[float, Manifest]] = []
    with suppress(OSError), os.scandir(request_folder) as listing:
        for entry in listing:
            if not entry.name.startswith(".") and (manifest := read_manifest(Path(entry.path))):
                with suppress(OSError):
                    found.append((entry.stat().st_mtime, manifest))
    return [manifest for _, manifest in sorted(found, key=lambda pair: -pair[0])]


def has_damaged(request_folder: Path) -> bool:
    """Whether there is an entry of the request that is not whole."""
    with suppress(OSError), os.scandir(request_folder) as listing:
        return any(
            not entry.name.startswith(".") and read_manifest(Path(entry.path)) is None
            for entry in listing
        )
    return False
