"""Digests, and writing files and folders so that a reader sees all of them or nothing."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

_CHUNK_BYTES = 1 << 20


def why_no_file(path: Path) -> str:
    """What is wrong with a path that should be a file: ``does not exist``; empty for a file."""
    if path.is_file():
        return ""
    if path.is_dir():
        return "is a folder, not a file"
    return "is not a regular file" if path.exists() else "does not exist"


def digest_text(text: str) -> str:
    """SHA-256 of a text in UTF-8, as 64 hex digits."""
    return digest_bytes(text.encode("utf-8", "surrogateescape"))


def digest_bytes(content: bytes) -> str:
    """SHA-256 of bytes, as 64 hex digits."""
    return hashlib.sha256(content).hexdigest()


def digest_file(path: Path | str) -> str:
    """SHA-256 of a file's content, as 64 hex digits; raises ``OSError`` where it cannot be read."""
    state = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(_CHUNK_BYTES):
            state.update(chunk)
    return state.hexdigest()


def digest_sampled(path: Path | str, samples: int = 64, block_bytes: int = 1 << 16) -> str:
    """A digest of a big file's size and of evenly spread blocks of it, its first and last included."""
    state = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        size_bytes = file.seek(0, os.SEEK_END)
        state.update(f"sampled {size_bytes}".encode())
        last = max(0, size_bytes - block_bytes)
        for index in range(samples):
            file.seek(last * index // (samples - 1))
            state.update(file.read(block_bytes))
    return state.hexdigest()


def write_atomic(path: Path, data: str | bytes, *, durable: bool = False) -> None:
    """Write a file by a rename, so that a reader sees the old or the new content, never half of one.

    It may be read by whoever may read files that its user makes. ``durable`` also waits for the disk. Raises
    ``OSError``; the old file is then as it was.
    """
    content = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    descriptor, temporary = _new_file(path)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise


def _new_file(path: Path) -> tuple[int, Path]:
    """An open file beside ``path``, with the rights that the user's mask leaves: mkstemp gives it to one alone."""
    while True:
        temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}")
        with suppress(FileExistsError):
            return os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), temporary


def sync(path: Path) -> None:
    """Wait until the content of a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some file systems cannot do that to a folder.
        if error.errno not in (errno.EINVAL, errno.EROFS, errno.EBADF):
            raise
    finally:
        os.close(descriptor)


def publish_folder(staged: Path, final: Path, *, durable: Iterable[str] = ()) -> bool:
    """Move ``staged`` to ``final`` by one rename; False when somebody else's folder is there already.

    The files named in ``durable`` are on the disk before the name appears. Both paths have to be on
    one file system.
    """
    for name in durable:
        sync(staged / name)
    for last_try in (False, False, True):
        final.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            os.rename(staged, final)
            break
        except FileNotFoundError:  # somebody tidied the empty parent away
            if last_try or not staged.exists():
                raise
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return False
            raise
    if durable:
        sync(final.parent)
    return True


def remove_folder(folder: Path) -> None:
    """Remove a folder of ours by a rename and then piece by piece: nobody sees half of it under its name."""
    doomed = folder.with_name(f".gone-{os.getpid()}-{folder.name}")
    with suppress(OSError):
        os.rename(folder, doomed)
        folder = doomed
    shutil.rmtree(folder, ignore_errors=True)
