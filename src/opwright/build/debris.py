"""What builds that died have left behind: found by their locks, which died with them."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path

from opwright.files import remove_folder
from opwright.lock import is_free
from opwright.log import log

_OLD_SECONDS = 24 * 3600.0
_KEY_LETTERS = 32


def reclaim(version_folder: Path, own_key: str = "") -> int:
    """Remove private folders whose builder is dead; returns how many.

    A builder holds its request's lock for as long as its folder exists. ``own_key`` is a request
    whose lock the caller holds. Folders that have no lock to tell by go when they are a day old.
    """
    folders: list[Path] = []
    with suppress(OSError):
        folders = list((version_folder / ".building").iterdir())  # listed before any lock is tried
    count = 0
    for folder in folders:
        key, _, rest = folder.name.partition("-")
        if folder.name.startswith(".gone-"):  # its removal was broken off
            remove_folder(folder)
            continue
        if len(key) != _KEY_LETTERS:
            dead = _old(folder)
        else:
            dead = (
                own_key.startswith(key)
                or is_free(version_folder / ".locks" / f"{key}.lock")
                or _old(folder)
            )
        if dead:
            log(
                "build.reclaimed",
                f"removing what a build that died had left (process {rest.partition('-')[0]})",
                folder=str(folder),
            )
            remove_folder(folder)
            count += 1
    return count


def _old(folder: Path) -> bool:
    with suppress(OSError):
        return time.time() - folder.stat().st_mtime > _OLD_SECONDS
    return False
