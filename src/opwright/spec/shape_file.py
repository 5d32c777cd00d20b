"""Sizes that a user lists in a file, for the rows of a measurement."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from opwright.errors import UsageError
from opwright.spec.sampling import Sizes

TYPICAL = "typical"
SHAPES_HINT = (
    'Write a list with an entry a row, each with all dims: [{"batch": [1024], "hidden": 768}],'
    ' or such a list for each operator: {"bias_gelu": [...], "swish": [...]}. An entry may have values of'
    ' scalars, too, "offset" (how many elements into its memory each tensor begins), and "dtype" (in place of'
    " those that are asked for)."
)
# Keys of an entry, unless a dim or a scalar is called so.
OFFSET, DTYPE = "offset", "dtype"

# One list of sizes for all operators, or one for each by its name.
Listed = Sequence[Sizes] | Mapping[str, Sequence[Sizes]]


def read_shapes(path: Path) -> Listed:
    """The sizes in a JSON file: ``[{"batch": [1024], "hidden": 768}, ...]``, or such lists by operator.

    What else an entry asks for stands beside its sizes: scalars by name, `OFFSET`, `DTYPE`. Raises `UsageError`.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as JSON: {error}", hint=SHAPES_HINT) from error
    if _is_by_operator(found):
        return {name: _sizes(sizes, f"{path} ({name})") for name, sizes in found.items()}
    return _sizes(found, str(path))


def sizes_for(operators: Sequence[str], listed: Listed) -> Sequence[Sizes]:
    """The sizes of the first of these operators that has a list of its own. `UsageError` for none."""
    if not isinstance(listed, Mapping):
        return listed
    for name in operators:
        if name in listed:
            return listed[name]
    raise UsageError(f"the shapes have no list for {operators[0]}", hint=SHAPES_HINT)


def _is_by_operator(found: Any) -> bool:
    """Whether there is a list for each name, and not the one entry of sizes that lacks its list."""
    lists = list(found.values()) if isinstance(found, dict) else []
    entries = [entry for each in lists if isinstance(each, list) for entry in each]
    return bool(lists) and not any(isinstance(entry, int) for entry in (*lists, *entries))


def _sizes(found: Any, where: str) -> tuple[Sizes, ...]:
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise UsageError(f"{where} is not a list of sizes by name", hint=SHAPES_HINT)
    if not found:
        raise UsageError(f"{where} lists no sizes", hint=SHAPES_HINT)
    return tuple(
        {n: tuple(v) if isinstance(v, list) else v for n, v in item.items()} for item in found
    )
