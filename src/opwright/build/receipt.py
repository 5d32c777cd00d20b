"""Remember which entry answered a question, so that asking again costs one look at each file's state.

A look-up makes the request's sources, asks for the compiler, and compares every file that the compile
read. A receipt holds the answer of one look-up together with the state of everything that it looked
at, as the kernel tells it: as long as all of that is as it was, so is the answer. It can only ever
save time: where it is missing, or anything differs, the look-up decides.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opwright.files import digest_text, write_atomic
from opwright.log import log
from opwright.records.artifact import Artifact, artifact_from_json, artifact_to_json

if TYPE_CHECKING:
    from opwright.build.manifest import Manifest
    from opwright.build.query import Query

_BOOT = "/proc/sys/kernel/random/boot_id"
_LOADED_NS = time.time_ns()
_PACKAGE = Path(__file__).parent.parent
# What turns a description into a request and a request into a library.
_OWN = ("spec", "generate", "build", "toolchain", "records")


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
        circumstances = _circumstances(known["circumstances"]["environment"])
        if circumstances != known["circumstances"]:
            return None
        if _digest(_states(known["paths"])) != known["state"]:
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


def remember(
    question: Question, query: Query, manifest: Manifest, answer: Artifact, asked_ns: int
) -> None:
    """Keep ``answer``, unless something that decides it could have changed since it was asked for.

    ``asked_ns`` is when the look-up began, in nanoseconds since 1970. What this process holds in
    memory (its own code, torch's facts) counts as asked when this module was loaded.
    """
    if (
        manifest.inputs.preprocessed is not None
        or not query.tools_hold
        or _dangles(query, manifest)
    ):
        return  # the answer hangs on more than the state of files and folders
    own = [*_own_files(), *question.read]
    seen = [*_entry(manifest), *_inputs(query, manifest), *_programs(query)]
    states = _states(own)
    if not all(_settled(state, _LOADED_NS) for state in states):
        return
    states += _states(seen)
    if not all(_settled(state, asked_ns) for state in states):
        return
    with suppress(OSError):
        plain = {
            "circumstances": _circumstances(query.environment_names),
            "paths": [*own, *seen],
            "state": _digest(states),
            "artifact": artifact_to_json(answer),
        }
        write_atomic(question.receipt, json.dumps(plain))


State = tuple[int, int, int, int, int] | None


def _states(paths: Iterable[str]) -> list[State]:
    """Device, inode, size and both time stamps of each path; None where there is nothing."""
    return [_state(path) for path in paths]


def _state(path: str) -> State:
    try:
        it = os.stat(path)
    except OSError:
        return None
    return (it.st_dev, it.st_ino, it.st_size, it.st_mtime_ns, it.st_ctime_ns)


def _digest(states: list[State]) -> str:
    return digest_text(repr(states))


def _settled(state: State, before_ns: int) -> bool:
    """Whether a change after ``before_ns`` would have changed the state for certain."""
    if state is None:
        return True
    from opwright.build.digests import tick_ns  # whoever recalls imports nothing of a look-up

    return state[4] + tick_ns(state[4]) < before_ns


def _circumstances(names: Iterable[str]) -> dict[str, Any]:
    """The machine, until it is started again, and the variables that decide the compiler's work."""
    with open(_BOOT) as file:
        boot = file.read().strip()
    return {"boot": boot, "environment": {name: os.environ.get(name) for name in names}}


def _own_files() -> list[str]:
    files = [*_PACKAGE.glob("*.py"), *(f for name in _OWN for f in (_PACKAGE / name).rglob("*.py"))]
    return [str(path) for path in sorted(files)]


def _entry(manifest: Manifest) -> list[str]:
    return [str(manifest.folder / "manifest.json"), str(manifest.folder / manifest.library)]


def _inputs(query: Query, manifest: Manifest) -> list[str]:
    """What was read; and for what was not found, the folders in which it would appear."""
    inputs = manifest.inputs
    names = dict.fromkeys((*inputs.reads, *inputs.missing, *inputs.folders))
    return [query.roots.locate(name) or os.sep for name in names]


def _dangles(query: Query, manifest: Manifest) -> bool:
    """Whether something that was not found is a link: its target can appear in a folder unseen."""
    return any(
        os.path.islink(f"{query.roots.locate(folder)}/{name}")
        for folder, names in manifest.inputs.missing.items()
        for name in names
    )


def _programs(query: Query) -> list[str]:
    """The compiler's programs; the folders of PATH, where a new one may come first; and what is called
    like a compiler there already, and may be made one.
    """
    chain = query.toolchain
    words = (os.environ.get(name, "") for name in chain.driver_environment)
    names = {*chain.driver_names, *(word for word in words if "/" not in word and word)}
    folders = [folder for folder in os.get_exec_path() if folder]
    called = [f"{folder}/{name}" for folder in folders for name in sorted(names)]
    programs = [str(path) for _, path in query.tools.programs]
    return [query.tools.driver[0], *programs, *folders, *filter(os.path.lexists, called)]
