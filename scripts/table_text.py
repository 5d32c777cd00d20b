"""How figures of records are read: what the pages of `results.py` and `kernels.py` have in common."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

NONE = "-"


def read_record(path: Path) -> dict[str, Any]:
    """A record as it was written, or compressed."""
    packed = path.read_bytes()
    record: dict[str, Any] = json.loads(gzip.decompress(packed) if path.suffix == ".gz" else packed)
    return record


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Markdown, the first column to the left and the rest to the right."""
    yield f"| {' | '.join(titles)} |"
    yield f"|---|{'---:|' * (len(titles) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def share_text(roofline: dict[str, Any]) -> str:
    """Of the bytes a second that a copy of as many moves."""
    fraction = roofline.get("fraction_of_copy")
    return NONE if fraction is None else f"{100 * fraction:.0f} %"


def time_text(time_us: float) -> str:
    """Microseconds, or milliseconds."""
    return f"{time_us:.3g} µs" if time_us < 999.5 else f"{time_us / 1000:.3g} ms"
