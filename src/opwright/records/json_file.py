"""Records as files: written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from opwright.errors import RecordError
from opwright.files import write_atomic


def write_json(path: Path, record: Any) -> None:
    """Write data as JSON. NaN and infinities, which that has not, are null there. Raises `RecordError`."""
    plain = json.loads(json.dumps(record, default=str), parse_constant=_no_number)
    try:
        write_atomic(path, json.dumps(plain, indent=1, ensure_ascii=False) + "\n")
    except OSError as error:
        raise RecordError(
            f"{path} cannot be written: {error.strerror}", hint="Name another file for --json."
        ) from error


def _no_number(constant: str) -> None:
    del constant
