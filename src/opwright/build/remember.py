"""Write a receipt: the answer of a look-up, with the state of everything that it hung on."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

from opwright.build.digests import tick_ns
from opwright.build.manifest import Manifest
from opwright.build.query import Query
from opwright.build.receipt import (
    LOADED_NS,
    Question,
    State,
    circumstances_of,
    digest_of,
    states_of,
)
from opwright.files import write_atomic
from opwright.records.artifact import Artifact, artifact_to_json

_PACKAGE = Path(__file__).parent.parent
# What turns a description into a request and a request into a library.
_OWN = ("spec", "generate", "build", "toolchain", "records")


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
    states = states_of(own)
    if not all(_settled(state, LOADED_NS) for state in states):
        return
    states += states_of(seen)
    if not all(_settled(state, asked_ns) for state in states):
        return
    with suppress(OSError):
        plain = {
            "circumstances": circumstances_of(query.environment_names),
            "paths": [*own, *seen],
            "state": digest_of(states),
            "artifact": artifact_to_json(answer),
        }
        write_atomic(question.receipt, json.dumps(plain))


def _settled(state: State, before_ns: int) -> bool:
    """Whether a change after ``before_ns`` would have changed the state for certain."""
    if state is None:
        return True
    return state[4] + tick_ns(state[4]) < before_ns


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
