"""Build a request: look, lock, look again, compile in private, publish by one rename."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from opwright.build.explain import Miss
from opwright.build.manifest import MANIFEST, Manifest, read_manifest
from opwright.build.query import Query
from opwright.build.receipt import Question
from opwright.build.remember import remember
from opwright.build.store import Store
from opwright.errors import StoreError
from opwright.files import digest_file, publish_folder, remove_folder
from opwright.log import log
from opwright.records.artifact import Artifact
from opwright.spec.request import BuildRequest

if TYPE_CHECKING:
    from opwright.build.compile import Compiled


def build(
    request: BuildRequest,
    *,
    store: Store | None = None,
    force: bool = False,
    question: Question | None = None,
) -> Artifact:
    """Return the request's library, from the store or newly built.

    However many processes and threads ask, one compiles. A library that is found is remembered as
    the answer to ``question``. Raises `CompileError`, `LinkError`,
    `ToolchainError`, `TimedOut` or `StoreError`; nothing is published then.
    """
    started, asked_ns = time.monotonic(), time.time_ns()
    query = Query(request, store or Store.default())
    if not query.store.prepared:  # then what the first look-up learns is kept, too
        query.store.prepare()
    found = query.find()
    if isinstance(found, Manifest) and not force:
        artifact = _hit(query, found, started)
        if question is not None:
            remember(question, query, found, artifact, asked_ns)
        return artifact
    query.store.prepare()
    return _alone(query, started, force=force)


def _alone(query: Query, started: float, *, force: bool) -> Artifact:
    """Build with the request's lock held, unless somebody else has done so meanwhile."""
    from opwright.build.debris import reclaim
    from opwright.lock import hold  # who finds pays for nothing that only builders need

    what = f"{query.request.name} for {query.request.target}"
    lock = query.store.lock(query.key)
    with query.store.writing():
        lock.touch(mode=0o600)
    patience = query.request.timeout_seconds
    with hold(lock, purpose=f"the build of {what}", timeout_seconds=patience) as exclusive:
        again = query.find()
        if isinstance(again, Manifest) and not force:
            return _hit(query, again, started)
        why = again if isinstance(again, Miss) else Miss("it was asked for")
        log("build.start", f"building {what}: {why.reason}", key=query.key)
        if exclusive:
            reclaim(query.store.version_folder, query.key)
        manifest = _build(query, started, force=force)
    said = f"built {what} in {manifest.seconds:.2f} s"
    log("build.done", said, folder=str(manifest.folder))
    seconds = time.monotonic() - started
    return query.artifact(manifest, hit=False, seconds=seconds, why=why)


def _hit(query: Query, manifest: Manifest, started: float) -> Artifact:
    seconds = time.monotonic() - started
    log(
        "build.hit",
        f"{manifest.name} for {manifest.target} is in the store",
        folder=str(manifest.folder),
    )
    return query.artifact(manifest, hit=True, seconds=seconds)


def _build(query: Query, started: float, *, force: bool) -> Manifest:
    from opwright.build.compile import compile_request
    from opwright.build.stage import Stage

    name = f"{query.key[:32]}-{os.getpid()}-{os.urandom(4).hex()}"
    private = query.store.internal(".building", name)
    try:
        with query.store.writing():
            compiled = compile_request(query, Stage(private))
            manifest = _manifest(query, compiled, time.monotonic() - started)
            return _publish(compiled.library.parent, manifest, force=force)
    finally:
        remove_folder(private)


def _manifest(query: Query, compiled: Compiled, seconds: float) -> Manifest:
    content = compiled.inputs.digest()
    final = query.folder / content[:16]
    return Manifest(
        name=query.request.name,
        target=str(query.request.target),
        folder=final,
        library=compiled.library.name,
        size_bytes=compiled.library.stat().st_size,
        digest=digest_file(compiled.library),
        request_key=query.key,
        build_key=f"{query.key[:32]}{content[:32]}",
        key_parts=query.parts,
        inputs=compiled.inputs,
        facts=query.request.facts,
        created=time.time(),
        seconds=seconds,
        unit_seconds=compiled.unit_seconds,
    )


def _publish(staged: Path, manifest: Manifest, *, force: bool) -> Manifest:
    (staged / MANIFEST).write_text(manifest.to_json())
    durable = (manifest.library, MANIFEST)
    for _ in range(3):
        if publish_folder(staged, manifest.folder, durable=durable):
            return manifest
        winner = read_manifest(manifest.folder)
        if winner is not None and (not force or winner.digest == manifest.digest):
            return winner  # somebody without a lock was faster: theirs is as good
        remove_folder(manifest.folder)  # damaged, or to be replaced by a forced build
    raise StoreError(
        f"{manifest.folder} cannot be replaced",
        hint="Remove it, and see what else writes to the store.",
    )
