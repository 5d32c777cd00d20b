"""The entries of a store as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.table import Table
from rich.text import Text

from opwright.report.figures import age_text, seconds_text, size_text


@dataclass(frozen=True)
class StoredEntry:
    """What a reader wants to know of one entry. ``unused_seconds`` counts from its last use."""

    name: str
    target: str
    build_key: str
    size_bytes: int
    build_seconds: float
    unused_seconds: float


def store_table(entries: Sequence[StoredEntry]) -> Table:
    """Name, target, key, size, how long the build took, and how long ago it was last used."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
    table.add_column("operator", overflow="fold")
    table.add_column("target", overflow="fold")
    table.add_column("key", no_wrap=True)
    for title in ("size", "built in", "last used"):
        table.add_column(title, justify="right", no_wrap=True)
    for entry in entries:
        table.add_row(
            Text(entry.name, style="bold"),
            Text(entry.target),
            Text(f"{entry.build_key[:8]}..{entry.build_key[32:40]}"),  # request and content
            Text(size_text(entry.size_bytes)),
            Text(seconds_text(entry.build_seconds)),
            Text(f"{age_text(entry.unused_seconds)} ago"),
        )
    return table
