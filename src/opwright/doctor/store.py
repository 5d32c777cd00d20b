"""The store: where it is, whether it can be written and locked, and whether what is in it is whole."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from pathlib import Path

from opwright.build.store import Store
from opwright.build.trust import default_folder
from opwright.doctor.finding import TARGETS, Finding
from opwright.doctor.machine import Machine
from opwright.errors import StoreError
from opwright.lock import can_lock, describe_holder, is_free

LEAST_BYTES = 200 << 20
_NEEDED = tuple(f"build {target}" for target in TARGETS)
_ELSEWHERE = "Set OPWRIGHT_STORE to a folder that you can write."
_MIB = 1 << 20


def probe_place(machine: Machine) -> tuple[Finding, Store | None]:
    """Where is the store, whose is it, and is there room? Nothing is made by looking."""
    where = default_folder(machine.environment)
    try:
        store = Store(where)
        existing = _nearest_existing(where)
        free = shutil.disk_usage(existing).free
        mode = stat.filemode(existing.stat().st_mode)
    except StoreError as error:
        return Finding(
            "store", "problem", error.what, error.hint, _NEEDED, {"folder": str(where)}
        ), None
    except OSError as error:
        what = f"{where} cannot be read: {error.strerror}"
        return Finding("store", "problem", what, _ELSEWHERE, _NEEDED, {"folder": str(where)}), None
    facts = {"folder": str(where), "exists": where.is_dir(), "free_bytes": free, "mode": mode}
    what = f"{where}, {'' if where.is_dir() else 'not made yet, '}{free // _MIB} MiB free, {mode}"
    if not existing.is_dir():
        what = f"{where}: {existing} is not a folder"
        return Finding("store", "problem", what, _ELSEWHERE, _NEEDED, facts), None
    if not os.access(existing, os.W_OK | os.X_OK):
        what = f"{where}: {existing} cannot be written"
        return Finding("store", "problem", what, _ELSEWHERE, _NEEDED, facts), store
    if free < LEAST_BYTES:
        fix = (
            "Free some (`opwright cache prune`), or set OPWRIGHT_STORE to a folder on another disk."
        )
        return Finding("store", "problem", f"{what}: too little", fix, _NEEDED, facts), store
    return Finding("store", "ok", what, needed_for=_NEEDED, facts=facts), store


def _nearest_existing(path: Path) -> Path:
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


def probe_locks(store: Store | None) -> list[Finding]:
    """Does the store's file system have locks, who holds one, who died with one?"""
    if store is None or not store.where.is_dir():
        return []
    try:
        with tempfile.NamedTemporaryFile(dir=store.where, prefix=".doctor-") as file:
            locks = can_lock(Path(file.name))
    except OSError as error:
        return [
            Finding(
                "locks",
                "problem",
                f"no file can be made in {store.where}: {error.strerror}",
                _ELSEWHERE,
            )
        ]
    if not locks:
        what = f"the file system of {store.where} has none: two builders may do the same work twice"
        return [
            Finding("locks", "problem", what, "Set OPWRIGHT_STORE to a local disk to avoid that.")
        ]
    held, stale = _holders(store)
    facts = {"held": held, "stale": stale}
    what = f"work; {len(held)} held" + "".join(f", by {who}" for who in held)
    if stale:
        what += f"; left by builders that died: {len(stale)} ({'; '.join(stale)})"
        return [
            Finding(
                "locks", "ok", what, "Nothing to do: the next build reclaims them.", facts=facts
            )
        ]
    return [Finding("locks", "ok", what, facts=facts)]


def _holders(store: Store) -> tuple[list[str], list[str]]:
    """Who holds a lock now, and who died while holding one."""
    held: list[str] = []
    stale: list[str] = []
    for written in sorted(store.internal(".locks").glob("*.holder")):
        lock = written.with_name(written.name.removesuffix(".holder"))
        who = describe_holder(lock)
        (stale if is_free(lock) else held).append(who)
    return held, stale


def probe_health(store: Store | None, *, quick: bool) -> list[Finding]:
    """Is every library the one that was built? With ``quick`` the entries are only counted."""
    if store is None or not store.where.is_dir():
        return []
    subject = "store entries"
    count = len(store.list())
    if quick:
        return [
            Finding(
                subject, "not checked", f"{count}; left out by --quick", facts={"entries": count}
            )
        ]
    faults = [f"{fault.folder}: {fault.what}" for fault in store.verify()]
    facts = {"entries": count, "faults": faults}
    if faults:
        what = f"{len(faults)} not as they were built, first {faults[0]}"
        fix = "`opwright cache prune` removes them; they are built again when they are needed."
        return [Finding(subject, "problem", what, fix, facts=facts)]
    return [Finding(subject, "ok", f"{count}, all as they were built", facts=facts)]
