"""Where the store is, and whether it may be believed: its libraries run with the user's rights."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path

from opwright.errors import StoreError
from opwright.log import log

TRUSTED = "OPWRIGHT_STORE_TRUSTED"


def default_folder(environment: Mapping[str, str]) -> Path:
    """The store's folder as the environment has it; a private temporary one where there is no home."""
    if named := environment.get("OPWRIGHT_STORE"):
        return Path(named).expanduser().absolute()
    if cache := environment.get("XDG_CACHE_HOME"):
        return Path(cache).absolute() / "opwright"
    home = environment.get("HOME")
    if home and Path(home).is_dir():
        return Path(home).absolute() / ".cache" / "opwright"
    folder = Path(tempfile.gettempdir()) / f"opwright-{os.getuid()}"
    log(
        "store.temporary",
        f"there is no home folder (HOME is {home!r}): the store is {folder}; OPWRIGHT_STORE names another",
        folder=str(folder),
    )
    return folder


def require_trusted(folder: Path, environment: Mapping[str, str]) -> None:
    """Raise `StoreError` for a store that another user owns or can write, unless told to trust it."""
    if environment.get(TRUSTED) == "1":
        return
    try:
        status = folder.stat()
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            f"the store {folder} cannot be read: {error.strerror}",
            hint="Set OPWRIGHT_STORE to another folder.",
        ) from error
    fault = ""
    if status.st_uid not in (os.getuid(), 0):
        fault = f"belongs to user {status.st_uid}"
    elif status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        fault = f"can be written by others (mode {stat.S_IMODE(status.st_mode):04o})"
    if fault:
        raise StoreError(
            f"the store {folder} {fault}, so its libraries may be anybody's",
            hint=f"`chmod go-w` it, set OPWRIGHT_STORE to a folder of yours, or set {TRUSTED}=1 to trust it.",
        )
