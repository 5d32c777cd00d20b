"""Look after a store: is every library as it was built, and which have not been used for long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from opwright.build.debris import reclaim
from opwright.build.entries import entries, request_folders
from opwright.build.manifest import Manifest, read_manifest
from opwright.files import digest_file, remove_folder

_DAY_SECONDS = 24 * 3600.0
_SCRAPS = (".failed", ".quarantine")


class Fault(NamedTuple):
    """An entry that is not as it was built, and in what way."""

    folder: Path
    what: str


class Pruned(NamedTuple):
    """What `prune` has removed."""

    entries: int
    size_bytes: int


def verify(version_folder: Path) -> list[Fault]:
    """Entries that are not as they were built: see `Store.verify`."""
    faults = []
    for folder in _entry_folders(version_folder):
        manifest = read_manifest(folder)
        if manifest is None:
            faults.append(
                Fault(folder, "the manifest or the library is missing, cut short or unreadable")
            )
            continue
        with suppress(FileNotFoundError):  # pruned meanwhile
            if digest_file(folder / manifest.library) != manifest.digest:
                faults.append(Fault(folder, f"{manifest.library} is not the file that was built"))
    return faults


def prune(version_folder: Path, *, keep_days: float | None, max_bytes: int | None) -> Pruned:
    """Remove entries: see `Store.prune`. Raises ``OSError``."""
    reclaim(version_folder)
    limit = 0.0 if keep_days is None else time.time() - keep_days * _DAY_SECONDS
    doomed = {
        folder: size_of(folder)
        for folder in _entry_folders(version_folder)
        if read_manifest(folder) is None
    }
    folders = request_folders(version_folder)
    kept = sorted((manifest for folder in folders for manifest in entries(folder)), key=last_used)
    sizes = {manifest.folder: size_of(manifest.folder) for manifest in kept}
    total = sum(sizes.values())
    for manifest in kept:
        if last_used(manifest) < limit or (max_bytes is not None and total > max_bytes):
            doomed[manifest.folder] = sizes[manifest.folder]
            total -= sizes[manifest.folder]
    for folder in doomed:
        remove_folder(folder)
    _remove_scraps(version_folder, limit)
    return Pruned(len(doomed), sum(doomed.values()))


def last_used(manifest: Manifest) -> float:
    """When an entry was last found or built, in seconds since 1970; 0 once it is gone."""
    with suppress(OSError):
        return manifest.folder.stat().st_mtime
    return 0.0


def size_of(folder: Path) -> int:
    """The size in bytes of all files of an entry."""
    total = 0
    for path in folder.rglob("*"):
        with suppress(OSError):
            total += path.lstat().st_size
    return total


def _entry_folders(version_folder: Path) -> Iterator[Path]:
    for request_folder in request_folders(version_folder):
        for folder in sorted(_listing(request_folder)):
            if not folder.name.startswith("."):
                yield folder


def _remove_scraps(version_folder: Path, limit: float) -> None:
    """Old logs and quarantined libraries, halves of removals, and what empty requests leave."""
    for name in _SCRAPS:
        for folder in _listing(version_folder / name):
            with suppress(OSError):
                if folder.stat().st_mtime < limit:
                    remove_folder(folder)
    for request_folder in list(request_folders(version_folder)):
        for folder in _listing(request_folder):
            if folder.name.startswith(".gone-"):
                remove_folder(folder)
        with suppress(OSError):
            request_folder.rmdir()  # only if it is empty
    for note in _listing(version_folder / ".checked"):
        with suppress(OSError):
            if note.stat().st_mtime < limit:
                note.unlink()
    kept = {folder.name.rpartition("-")[2] for folder in request_folders(version_folder)}
    for memo in _listing(version_folder / ".memo"):
        if len(memo.stem) == 32 and memo.stem[:16] not in kept:
            memo.unlink(missing_ok=True)


def _listing(folder: Path) -> list[Path]:
    with suppress(OSError):
        return list(folder.iterdir())
    return []
