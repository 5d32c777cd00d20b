"""Read MessagePack, in which AMD's compilers write down what a kernel needs.

Only what the format's specification calls nil, bool, int, float, str, bin, array and map; no extensions.
"""

from __future__ import annotations

import struct
from typing import Any

# First byte -> how its number is packed, big-endian.
_NUMBERS = dict(enumerate((">f", ">d", ">B", ">H", ">I", ">Q", ">b", ">h", ">i", ">q"), 0xCA))
# First byte -> (kind, how its length is packed).
_LENGTHS = {
    **{0xC4 + index: ("bin", packed) for index, packed in enumerate((">B", ">H", ">I"))},
    **{0xD9 + index: ("str", packed) for index, packed in enumerate((">B", ">H", ">I"))},
    **{0xDC + index: ("array", packed) for index, packed in enumerate((">H", ">I"))},
    **{0xDE + index: ("map", packed) for index, packed in enumerate((">H", ">I"))},
}
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


def unpack(data: bytes) -> Any:
    """The first value in ``data``; raises ``ValueError`` for what is cut short or no MessagePack."""
    try:
        return _Reader(data).value()
    except (struct.error, UnicodeDecodeError, IndexError, TypeError) as error:
        raise ValueError(f"no MessagePack: {error}") from error


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def value(self) -> Any:
        first = self.data[self.at]
        self.at += 1
        if first < 0x80:
            return first
        if first >= 0xE0:
            return first - 256
        if first < 0xC0:
            kind = "map" if first < 0x90 else "array" if first < 0xA0 else "str"
            return self._sequence(kind, first & (0x1F if kind == "str" else 0x0F))
        if first in _CONSTANTS:
            return _CONSTANTS[first]
        if first in _NUMBERS:
            return self._number(_NUMBERS[first])
        if first not in _LENGTHS:
            raise ValueError(f"no MessagePack: byte {first:#x} begins an extension")
        kind, packed = _LENGTHS[first]
        return self._sequence(kind, int(self._number(packed)))

    def _number(self, packed: str) -> Any:
        (number,) = struct.unpack_from(packed, self.data, self.at)
        self.at += struct.calcsize(packed)
        return number

    def _sequence(self, kind: str, length: int) -> Any:
        if kind == "map":
            return {self.value(): self.value() for _ in range(length)}
        if kind == "array":
            return [self.value() for _ in range(length)]
        content = self.data[self.at : self.at + length]
        if len(content) < length:
            raise ValueError("no MessagePack: cut short")
        self.at += length
        return content.decode() if kind == "str" else content
