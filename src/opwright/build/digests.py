"""Digests of files, remembered by stat signature so that a look-up reads no unchanged file again."""

from __future__ import annotations

import json
import os
import stat
import time
from contextlib import suppress
from pathlib import Path

from opwright.files import digest_file, digest_sampled, write_atomic

Signature = tuple[int, int, int, int, int]

# A file written twice within one tick of the file system's clock keeps its time stamps.
_TICK_NS = 25_000_000
_COARSE_TICK_NS = 2_000_000_000
_SAMPLED_FROM_BYTES = 64 << 20


def signature_of(status: os.stat_result) -> Signature:
    """What tells that a file is still the one that was seen: device, inode, size, both time stamps."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def settled(signature: Signature, seen_ns: int) -> bool:
    """Whether a write after ``seen_ns`` would have changed the signature's time stamps for certain.

    Only the change time counts: nobody can set it, so it is the future only after a clock went back.
    """
    changed_ns = signature[4]
    return abs(seen_ns - changed_ns) > tick_ns(changed_ns)


def tick_ns(changed_ns: int) -> int:
    """The tick of the clock that gave a time stamp: some file systems count whole seconds."""
    return _COARSE_TICK_NS if changed_ns % 1_000_000_000 == 0 else _TICK_NS


class Digests:
    """Digests by path; ``memo`` is the file that keeps them between processes, None for no memory.

    A digest is trusted as long as the file's signature is the remembered one. Files of 64 MiB and
    more (torch's own libraries, of which a link takes only symbols) are sampled, not read through.
    """

    def __init__(self, memo: Path | None = None) -> None:
        self._memo = memo
        self._known: dict[str, list[object]] = {}
        self._changed = False
        if memo is not None:
            with suppress(OSError, ValueError, RecursionError):
                loaded = json.loads(memo.read_bytes())
                self._known = loaded if isinstance(loaded, dict) else {}

    def of(self, path: str) -> str | None:
        """The digest of a file's content; None where there is no regular file that can be read."""
        try:
            status = os.stat(path)
        except (OSError, ValueError):
            return None
        signature = signature_of(status)
        known = self._known.get(path)
        if isinstance(known, list) and known[:-1] == list(signature):
            return str(known[-1])
        if not stat.S_ISREG(status.st_mode):
            return None
        return self._read(path, signature)

    def save(self) -> None:
        """Keep what was learnt; a store that cannot be written is no reason to fail."""
        if self._memo is not None and self._changed:
            with suppress(OSError):
                write_atomic(self._memo, json.dumps(self._known, separators=(",", ":")))
            self._changed = False

    def _read(self, path: str, signature: Signature) -> str | None:
        for _ in range(5):  # a file that is being written: take it when it holds still
            seen_ns = time.time_ns()
            try:
                large = signature[2] >= _SAMPLED_FROM_BYTES
                digest = digest_sampled(path) if large else digest_file(path)
                after = signature_of(os.stat(path))
            except OSError:
                return None
            if after == signature:
                if settled(signature, seen_ns):
                    self._known[path] = [*signature, digest]
                    self._changed = True
                return digest
            signature = after
        return f"changing {time.time_ns()}"
