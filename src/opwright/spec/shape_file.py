"""Sizes that a user lists in a file, for the rows of a measurement."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from opwright.errors import UsageError

TYPICAL = "typical"
SHAPES_HINT = (
    'Write a list with an entry a row, each with all dims: [{"batch": [1024], "hidden": 768}].'
)


def read_shapes(path: Path) -> list[dict[str, Any]]:
    """The sizes in a JSON file: ``[{"batch": [1024], "hidden": 768}, ...]``. Raises `UsageError`."""
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON: {error}", hint=SHAPES_HINT) from error
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise UsageError(f"{path} is not a list of sizes by name", hint=SHAPES_HINT)
    if not listed:
        raise UsageError(f"{path} lists no sizes", hint=SHAPES_HINT)
    return [{n: tuple(v) if isinstance(v, list) else v for n, v in item.items()} for item in listed]
