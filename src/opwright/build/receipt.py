"""Remember which entry answered a question, so that asking again costs one look at each file's state.

A look-up makes the request's sources, asks for the compiler, and compares every file that the compile
read. A receipt holds the answer of one look-up together with the state of everything that it looked
at, as the kernel tells it: as long as all of that is as it was, so is the answer. It can only ever
save time: where it is missing, or anything differs, the look-up decides.
"""

from __future__ import annotations

import json
import marshal
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from opwright.files import digest_bytes, digest_text
from opwright.log import log
from opwright.records.artifact import Artifact, artifact_from_json

_BOOT = "/proc/sys/kernel/random/boot_id"
LOADED_NS = time.time_ns()  # what this process holds in memory is as it was then


class Question:
    """What is asked: a text that tells all that the request is made of, and the store that is asked.

    ``read`` are the files beside the text that took part in making the request.
    """

    def __init__(self, text: str, where: Path, read: Iterable[str] = ()) -> None:
        self.receipt = where / "v1" / ".memo" / f"receipt-{digest_text(text)[:32]}.json"
        self.read = tuple(read)


def recall(question: Question) -> Artifact | None:
    """The artifact that the same question got, if nothing that decided it has changed since."""
    started = time.monotonic()
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        known = json.loads(question.receipt.read_bytes())
        circumstances = circumstances_of(known["circumstances"]["environment"])
        if circumstances != known["circumstances"]:
            return None
        if digest_of(states_of(known["paths"])) != known["state"]:
            return None
        seconds = time.monotonic() - started
        artifact = artifact_from_json({**known["artifact"], "hit": True, "seconds": seconds})
        now = time.time()
        os.utime(artifact.folder, (now, now))  # for `prune`
        log(
            "build.hit",
            f"{artifact.name} for {artifact.target} is in the store",
            folder=str(artifact.folder),
        )
        return artifact
    return None


State = tuple[int, int, int, int, int] | None


def states_of(paths: Iterable[str]) -> list[State]:
    """Device, inode, size and both time stamps of each path; None where there is nothing."""
    return [_state(path) for path in paths]


def _state(path: str) -> State:
    try:
        it = os.stat(path)
    except OSError:
        return None
    return (it.st_dev, it.st_ino, it.st_size, it.st_mtime_ns, it.st_ctime_ns)


def digest_of(states: list[State]) -> str:
    """A digest of states in their order."""
    return digest_bytes(
        marshal.dumps(states, 2)
    )  # as text, hundreds of them take a tenth of it all


def circumstances_of(names: Iterable[str]) -> dict[str, Any]:
    """The machine, until it is started again, and the variables that decide the compiler's work."""
    with open(_BOOT) as file:
        boot = file.read().strip()
    return {"boot": boot, "environment": {name: os.environ.get(name) for name in names}}
