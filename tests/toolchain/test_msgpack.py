"""MessagePack as its specification has it, and nothing but a ``ValueError`` for anything else."""

from __future__ import annotations

import pytest

from opwright.toolchain.msgpack import unpack


@pytest.mark.parametrize(
    "data, value",
    [
        (b"\x07", 7),
        (b"\xff", -1),
        (b"\xc0", None),
        (b"\xc2", False),
        (b"\xc3", True),
        (b"\xcc\xff", 255),
        (b"\xcd\x01\x00", 256),
        (b"\xce\x00\x01\x00\x00", 65_536),
        (b"\xcf\x00\x00\x00\x01\x00\x00\x00\x00", 1 << 32),
        (b"\xd0\x80", -128),
        (b"\xd3\xff\xff\xff\xff\xff\xff\xff\xfe", -2),
        (b"\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00", 1.5),
        (b"\xa3abc", "abc"),
        (b"\xd9\x20" + b"x" * 32, "x" * 32),
        (b"\xc4\x02\x00\x01", b"\x00\x01"),
        (b"\x92\x01\xa1a", [1, "a"]),
        (b"\xdc\x00\x01\x05", [5]),
        (b"\x81\xa1k\x90", {"k": []}),
        (b"\xde\x00\x01\xa1k\xc3", {"k": True}),
    ],
)
def test_a_value_of_each_kind_is_read(data: bytes, value: object) -> None:
    assert unpack(data) == value


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xcd\x01",
        b"\xa3ab",
        b"\x92\x01",
        b"\xa1\xff",
        b"\xd4\x00\x00",
        b"\xc1",
        b"\x81\x90\x01",
    ],
)
def test_what_is_cut_short_or_no_messagepack_is_a_value_error(data: bytes) -> None:
    with pytest.raises(ValueError, match="no MessagePack"):
        unpack(data)
