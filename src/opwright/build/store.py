"""The store: finished libraries by what they were made of, each in a folder that never changes."""

from __future__ import annotations

import builtins
import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.build.entries import entries, request_folders
from opwright.build.manifest import Manifest
from opwright.build.trust import default_folder, require_trusted
from opwright.errors import StoreError
from opwright.files import write_atomic
from opwright.spec.request import BuildRequest

if TYPE_CHECKING:
    from opwright.build.care import Fault, Pruned

_README = """Libraries that Opwright built, each in a folder of its own that never changes.

All of it can be deleted at any time; what is needed is built again.
`opwright cache list`, `verify`, `prune` and `where` look after it.
"""

# What a folder says that can be no store: no rights, no such place, a file in its place, a sick disk.
_UNFIT = (
    *(errno.EACCES, errno.EPERM, errno.EROFS),
    *(errno.ENOENT, errno.ENOTDIR, errno.EEXIST, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG),
    *(errno.EIO, errno.ESTALE),
)


class Store:
    """A folder of entries. Reading needs no lock: an entry appears by one rename, complete."""

    def __init__(self, where: Path) -> None:
        self.where = where.absolute()
        require_trusted(self.where, os.environ)
        self.version_folder = self.where / "v1"

    @classmethod
    def default(cls) -> Store:
        """The store that the environment names; raises `StoreError` if it is not to be trusted."""
        return cls(default_folder(os.environ))

    def request_folder(self, request: BuildRequest, request_key: str) -> Path:
        """The folder of all entries of one request: they differ in what the compiler read."""
        text = f"{request.name}-{request.target}"
        stem = "".join(letter if letter.isalnum() or letter in "_.+-" else "-" for letter in text)
        return self.version_folder / f"{stem}-{request_key[:16]}"

    def internal(self, *names: str) -> Path:
        """A path for the store's own use: ``.locks``, ``.building``, ``.memo`` ..."""
        return self.version_folder.joinpath(*names)

    def list(self) -> builtins.list[Manifest]:
        """Every whole entry of the store."""
        folders = request_folders(self.version_folder)
        return [manifest for folder in folders for manifest in entries(folder)]

    def lock(self, request_key: str) -> Path:
        """The lock of a request: whoever builds it holds it."""
        return self.internal(".locks", f"{request_key[:32]}.lock")

    @property
    def prepared(self) -> bool:
        """Whether somebody has built into it before."""
        return self.internal(".memo").is_dir()

    def prepare(self) -> None:
        """Make the folders that a build needs; raises `StoreError` where they cannot be written."""
        with self.writing():
            self.where.parent.mkdir(parents=True, exist_ok=True)
            self.where.mkdir(exist_ok=True, mode=0o700)
            require_trusted(self.where, os.environ)
            self.version_folder.mkdir(exist_ok=True, mode=0o700)
            for name in (".locks", ".building", ".memo", ".failed"):
                self.internal(name).mkdir(parents=True, exist_ok=True, mode=0o700)
            readme = self.where / "README"
            if not readme.exists():
                write_atomic(readme, _README)

    def verify(self) -> builtins.list[Fault]:
        """Read every library and compare it with its manifest; [] when all are whole."""
        from opwright.build.care import verify  # no look-up needs it

        return verify(self.version_folder)

    def prune(self, *, keep_days: float | None = None, max_bytes: int | None = None) -> Pruned:
        """Remove damaged entries, what dead builds left, and entries by the limits that are given.

        ``keep_days``: those not used for so many days. ``max_bytes``: the longest unused ones, until
        the rest is no bigger. A process that has a library loaded keeps it. Raises `StoreError`.
        """
        from opwright.build.care import prune

        with self.writing():
            return prune(self.version_folder, keep_days=keep_days, max_bytes=max_bytes)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what can go wrong when the store is written into one clear `StoreError`."""
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StoreError(
                    f"no space left for the store {self.where}",
                    hint="Free some (`opwright cache prune`), or set OPWRIGHT_STORE to a folder on another disk.",
                ) from error
            if error.errno in _UNFIT:
                raise StoreError(
                    f"the store {self.where} cannot be written: {error.strerror} ({error.filename})",
                    hint="Set OPWRIGHT_STORE to a folder that you can write; what is finished still loads.",
                ) from error
            raise

    def touch(self, folder: Path) -> None:
        """Note that an entry was used, for `prune`: the folder's time stamp, nothing inside it."""
        with suppress(OSError):
            os.utime(folder, (time.time(), time.time()))
