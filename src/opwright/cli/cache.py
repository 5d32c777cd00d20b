"""``opwright cache``: look after the store of finished libraries."""

from __future__ import annotations

import json
import re
import time
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from opwright.build.store import Store
    from opwright.report.store_list import StoredEntry

_SIZE = re.compile(r"(?P<number>\d+(\.\d+)?)\s*(?P<unit>[kMGT]?)(?P<binary>i?)B?", re.IGNORECASE)


@click.group("cache")
def command() -> None:
    """Look after the store of finished libraries."""


@command.command("where")
def where() -> None:
    """Print the store's folder. OPWRIGHT_STORE names another."""
    from opwright.build.store import Store

    click.echo(Store.default().where)


@command.command("list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def list_entries(*, as_json: bool) -> None:
    """List the libraries in the store: size, and when each was last used."""
    from opwright.build.store import Store
    from opwright.cli.terminal import output, print_whole
    from opwright.report.figures import size_text

    store = Store.default()
    entries = _entries(store)
    total = sum(entry.size_bytes for entry in entries)
    if as_json:
        plain = [asdict(entry) for entry in entries]
        click.echo(
            json.dumps({"version": 1, "folder": str(store.where), "entries": plain}, indent=1)
        )
        return
    console = output()
    if entries:
        from opwright.report.store_list import store_table

        print_whole(console, store_table(entries))
    console.print(
        f"{len(entries)} in the store, {size_text(total)}, {store.where}",
        style="dim",
        soft_wrap=True,
    )


@command.command("verify")
def verify() -> None:
    """Read every library and compare it with its manifest.

    Ends with the code of a StoreError when one is damaged.
    """
    from opwright.build.store import Store
    from opwright.errors import StoreError

    store = Store.default()
    faults = store.verify()
    for fault in faults:
        click.echo(f"damaged: {fault.folder}: {fault.what}")
    if faults:
        raise StoreError(
            f"{len(faults)} damaged in {store.where}",
            hint="A damaged library is never run by `opwright check`: it is set aside and built again. "
            "`opwright cache prune` removes those that are cut short.",
        )
    click.echo(f"{len(store.list())} libraries, all as they were built, in {store.where}")


@command.command("prune")
@click.option("--older-than", "days", type=click.FloatRange(min=0), metavar="DAYS")
@click.option("--max-size", metavar="SIZE", help="Keep at most so much, such as 500MB or 2GB.")
@click.option("--all", "everything", is_flag=True, help="Remove every library.")
def prune(*, days: float | None, max_size: str | None, everything: bool) -> None:
    """Remove libraries that have not been used for long, and what dead builds have left.

    Without options only what is damaged or left over is removed. What a running process has loaded
    stays usable to it, and whatever is needed again is built again.
    """
    from opwright.build.store import Store
    from opwright.report.figures import size_text

    max_bytes = None if max_size is None else size_bytes(max_size)
    store = Store.default()
    removed = store.prune(keep_days=0.0 if everything else days, max_bytes=max_bytes)
    left = _entries(store)
    kept = sum(entry.size_bytes for entry in left)
    click.echo(
        f"removed {removed.entries} ({size_text(removed.size_bytes)}), "
        f"kept {len(left)} ({size_text(kept)}) in {store.where}"
    )


def size_bytes(text: str) -> int:
    """``500MB``, ``2GB``, ``1.5GiB`` in bytes; raises `click.BadParameter` for anything else."""
    match = _SIZE.fullmatch(text.strip())
    if match is None:
        raise click.BadParameter(f"{text!r} is not a size: write it as 500MB or 2GB")
    base = 1024 if match["binary"] else 1000
    return int(float(match["number"]) * base ** " kmgt".index(match["unit"].lower() or " "))


def _entries(store: Store) -> list[StoredEntry]:
    """The store's entries, the last used first."""
    from opwright.build.care import last_used, size_of
    from opwright.report.store_list import StoredEntry

    now = time.time()
    found = [
        StoredEntry(
            manifest.name,
            manifest.target,
            manifest.build_key,
            size_of(manifest.folder),
            manifest.seconds,
            max(0.0, now - last_used(manifest)),
        )
        for manifest in store.list()
    ]
    return sorted(found, key=lambda entry: entry.unused_seconds)
