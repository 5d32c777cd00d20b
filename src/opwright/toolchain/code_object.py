"""What AMD's compilers wrote down of each kernel, read from a finished library without any tool.

The library's section ``.hip_fatbin`` holds one bundle for each unit that was compiled, and a bundle one
ELF file for each architecture. A note in that file describes its kernels.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from opwright.errors import ToolchainError
from opwright.records.resources import KernelResources
from opwright.symbols import demangle, take_apart
from opwright.toolchain.msgpack import unpack

SECTION = ".hip_fatbin"
_BUNDLE = b"__CLANG_OFFLOAD_BUNDLE__"
_COMPRESSED = b"CCOB"
_AMDGPU_METADATA = 32  # the note's type
_NOTE_SEGMENT = 4


class CodeObject(NamedTuple):
    """The device code of one unit: an ELF file for one ``architecture``."""

    architecture: str
    elf: bytes


def kernel_resources(library: Path) -> list[KernelResources]:
    """Every kernel of a library in the order in which it was compiled, for each architecture.

    Raises `ToolchainError` for a library that holds no device code, or what cannot be read.
    """
    try:
        objects = list(code_objects(library.read_bytes()))
        found = [
            _resources(kernel, each.architecture)
            for each in objects
            for kernel in metadata(each.elf).get("amdhsa.kernels", ())
        ]
    except (struct.error, ValueError, KeyError, IndexError) as error:
        raise ToolchainError(
            f"the device code in {library} cannot be read: {error}",
            hint="Build it again: `opwright build --force`.",
        ) from error
    if not objects:
        raise ToolchainError(
            f"{library} holds no code for an AMD device",
            hint="Look whether its source has a kernel.",
        )
    return found


def code_objects(library: bytes) -> Iterator[CodeObject]:
    """The device code in an ELF file of the host; raises ``ValueError`` or ``struct.error``."""
    section = _section(library, SECTION)
    if _COMPRESSED in section and _BUNDLE not in section:
        raise ValueError("it is compressed; compile without --offload-compress")
    at = section.find(_BUNDLE)
    while at >= 0:
        yield from _bundled(section, at)
        at = section.find(_BUNDLE, at + 1)


def metadata(elf: bytes) -> dict[str, Any]:
    """The note of the compiler in a code object; empty where there is none."""
    offset, size, count = _table(elf, 32, 54)
    for index in range(count):
        kind, _, start, _, _, length = struct.unpack_from("<IIQQQQ", elf, offset + index * size)
        if kind == _NOTE_SEGMENT:
            for number, content in _notes(elf[start : start + length]):
                if number == _AMDGPU_METADATA:
                    return dict(unpack(content))
    return {}


def _notes(segment: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + 12 <= len(segment):
        name_bytes, content_bytes, kind = struct.unpack_from("<III", segment, at)
        start = at + 12 + _aligned(name_bytes)
        yield kind, segment[start : start + content_bytes]
        at = start + _aligned(content_bytes)


def _aligned(size: int) -> int:
    return (size + 3) & ~3


def _bundled(section: bytes, at: int) -> Iterator[CodeObject]:
    """The entries of the bundle that begins at ``at``, but for the host's, which is empty."""
    (count,) = struct.unpack_from("<Q", section, at + len(_BUNDLE))
    place = at + len(_BUNDLE) + 8
    for _ in range(count):
        offset, size, length = struct.unpack_from("<QQQ", section, place)
        entry = section[place + 24 : place + 24 + length].decode()
        place += 24 + length
        if "amdgcn" in entry and size:
            architecture = entry.rpartition("--")[2]
            yield CodeObject(architecture, section[at + offset : at + offset + size])


def _section(library: bytes, name: str) -> bytes:
    """The content of a section of an ELF file; empty where there is no such section."""
    offset, size, count = _table(library, 40, 58)
    headers = [struct.unpack_from("<IIQQQQIIQQ", library, offset + i * size) for i in range(count)]
    if not headers:
        return b""
    (names,) = struct.unpack_from("<H", library, 62)
    texts = headers[names][4]
    wanted = name.encode() + b"\0"
    for header in headers:
        start = texts + header[0]
        if library[start : start + len(wanted)] == wanted:
            return library[header[4] : header[4] + header[5]]
    return b""


def _table(elf: bytes, place: int, sizes: int) -> tuple[int, int, int]:
    """Offset, size of an entry, and count of a table that the header of an ELF file speaks of."""
    if elf[:6] != b"\x7fELF\x02\x01":
        raise ValueError("it is no ELF file of 64 bits, little-endian")
    (offset,) = struct.unpack_from("<Q", elf, place)
    size, count = struct.unpack_from("<HH", elf, sizes)
    return offset, size, count


def _resources(kernel: dict[str, Any], architecture: str) -> KernelResources:
    return KernelResources(
        kernel=_name(kernel[".name"]),
        architecture=architecture,
        registers=kernel[".vgpr_count"],
        shared_bytes=kernel[".group_segment_fixed_size"],
        scratch_bytes=kernel[".private_segment_fixed_size"],
        wave_size=kernel[".wavefront_size"],
        scalar_registers=kernel[".sgpr_count"],
        accumulators=kernel.get(".agpr_count"),
        spilled_registers=kernel.get(".vgpr_spill_count"),
        spilled_scalars=kernel.get(".sgpr_spill_count"),
        most_threads=kernel.get(".max_flat_workgroup_size"),
    )


def _name(symbol: str) -> str:
    """``each<float>``: without its parameters, which say nothing that the template arguments do not."""
    name = take_apart(demangle(symbol))
    return f"{name.base}<{name.arguments}>" if name.arguments else name.base
