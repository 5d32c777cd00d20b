"""Look after a store: is every library as it was built, and which have not been used for long."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from opwright.build.debris import reclaim
from opwright.build.manifest import Manifest, read_manifest
from opwright.build.store import Store
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


def verify(store: Store) -> list[Fault]:
    """Read every library of the store and compare it with its manifest; [] when all are whole."""
    faults = []
    for folder in _entry_folders(store):
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


def prune(store: Store, *, keep_days: float | None = None, max_bytes: int | None = None) -> Pruned:
    """Remove damaged entries, what dead builds left, and entries by the limits that are given.

    ``keep_days``: those not used for so many days. ``max_bytes``: the longest unused ones, until the
    rest is no bigger. A process that has a library loaded keeps it. Raises `StoreError`.
    """
    with store.writing():
        reclaim(store)
        doomed = [
            (folder, size_of(folder))
            for folder in _entry_folders(store)
            if read_manifest(folder) is None
        ]
        sizes = [(manifest, size_of(manifest.folder)) for manifest in store.list()]
        sizes.sort(key=lambda pair: last_used(pair[0]))
        total = sum(size for _, size in sizes)
        limit = time.time() - (keep_days or 0) * _DAY_SECONDS
        for manifest, size in sizes:
            too_old = keep_days is not None and last_used(manifest) < limit
            if too_old or (max_bytes is not None and total > max_bytes):
                doomed.append((manifest.folder, size))
                total -= size
        for folder, _ in doomed:
            remove_folder(folder)
        _remove_scraps(store, limit if keep_days is not None else None)
    return Pruned(len(doomed), sum(size for _, size in doomed))


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


def _entry_folders(store: Store) -> Iterator[Path]:
    for request_folder in store.request_folders():
        with suppress(OSError):
            for folder in sorted(request_folder.iterdir()):
                if not folder.name.startswith("."):
                    yield folder


def _remove_scraps(store: Store, older_than: float | None) -> None:
    """Old logs and quarantined libraries, remembered digests, and folders of requests without entries."""
    for name in _SCRAPS:
        for folder in _listing(store.internal(name)):
            with suppress(OSError):
                if older_than is not None and folder.stat().st_mtime < older_than:
                    remove_folder(folder)
    for request_folder in list(store.request_folders()):
        for folder in _listing(request_folder):
            if folder.name.startswith(".gone-"):
                remove_folder(folder)
        with suppress(OSError):
            request_folder.rmdir()  # only if it is empty
    kept = {folder.name.rpartition("-")[2] for folder in store.request_folders()}
    for memo in _listing(store.internal(".memo")):
        if len(memo.stem) == 32 and memo.stem[:16] not in kept:
            memo.unlink(missing_ok=True)


def _listing(folder: Path) -> list[Path]:
    with suppress(OSError):
        return list(folder.iterdir())
    return []
