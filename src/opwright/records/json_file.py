"""Records as files: written whole or not at all."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from opwright.errors import RecordError
from opwright.files import write_atomic

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # UTF-8 has none


def write_json(path: Path, record: Any) -> None:
    """Write data as JSON. Raises `RecordError`.

    NaN and infinities, which that has not, are null there; lone surrogates, which UTF-8 has not, are escapes.
    """
    plain = json.loads(json.dumps(record, default=str), parse_constant=_no_number)
    try:
        text = json.dumps(plain, indent=1, ensure_ascii=False) + "\n"
        write_atomic(path, _LONE_SURROGATE.sub(lambda found: f"\\\\u{ord(found[0]):04x}", text))
    except OSError as error:
        raise RecordError(
            f"{path} cannot be written: {error.strerror}", hint="Name another file for --json."
        ) from error


def _no_number(constant: str) -> None:
    del constant
