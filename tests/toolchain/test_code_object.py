"""Kernels' resources are read from libraries of the real compiler, and what is no such library is refused."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from opwright.errors import ToolchainError
from opwright.toolchain.code_object import code_objects, kernel_resources, metadata


def elf_with(section: bytes, name: str = ".hip_fatbin") -> bytes:
    """An ELF file of the host with one section, and one for names."""
    names = b"\0" + name.encode() + b"\0"
    header_bytes, entry_bytes = 64, 64
    texts = header_bytes + len(section)
    table = texts + len(names)

    def entry(title: int, offset: int, size: int) -> bytes:
        return struct.pack("<IIQQQQIIQQ", title, 1, 0, 0, offset, size, 0, 0, 1, 0)

    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 62, 1, 0, 0, table, 0, 64, 56, 0, entry_bytes, 2, 1
    )
    return header + section + names + entry(1, 64, len(section)) + entry(0, texts, len(names))


def bundle(*entries: tuple[str, bytes]) -> bytes:
    """A bundle of clang's, as its documentation has it."""
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(entries))
    start = len(head) + sum(24 + len(name) for name, _ in entries)
    table = content = b""
    for name, data in entries:
        table += struct.pack("<QQQ", start + len(content), len(data), len(name)) + name.encode()
        content += data
    return head + table + content


def code_object(*kernels: dict[str, int | str]) -> bytes:
    """An ELF file whose one note describes ``kernels``; small numbers and short texts only."""
    listed = b"".join(
        bytes([0xDE, 0, len(kernel)])
        + b"".join(_text(key) + _value(value) for key, value in kernel.items())
        for kernel in kernels
    )
    content = b"\x81" + _text("amdhsa.kernels") + bytes([0x90 | len(kernels)]) + listed
    note = struct.pack("<III", 7, len(content), 32) + b"AMDGPU\0\0" + content
    other = struct.pack("<III", 4, 4, 1) + b"GNU\0" + b"\0\0\0\0"
    notes = other + note.ljust((len(note) + 3) & ~3, b"\0")
    header = b"\x7fELF\x02\x01\x01".ljust(16, b"\0") + struct.pack(
        "<HHIQQQIHHHHHH", 3, 224, 1, 0, 64, 0, 0, 64, 56, 1, 0, 0, 0
    )
    return header + struct.pack("<IIQQQQQQ", 4, 4, 120, 0, 0, len(notes), len(notes), 4) + notes


def _value(value: int | str) -> bytes:
    return _text(value) if isinstance(value, str) else b"\xcd" + struct.pack(">H", value)


def _text(text: str) -> bytes:
    return b"\xd9" + bytes([len(text)]) + text.encode()


KERNEL: dict[str, int | str] = {
    ".name": "_Z4eachIfEvPT_",
    ".vgpr_count": 12,
    ".sgpr_count": 20,
    ".agpr_count": 4,
    ".vgpr_spill_count": 3,
    ".sgpr_spill_count": 0,
    ".group_segment_fixed_size": 1024,
    ".private_segment_fixed_size": 16,
    ".wavefront_size": 64,
    ".max_flat_workgroup_size": 256,
}
HOST = ("host-x86_64-unknown-linux--", b"")


def library_with(path: Path, section: bytes) -> Path:
    path.write_bytes(elf_with(section))
    return path


def test_all_that_the_note_says_of_a_kernel_is_read(tmp_path: Path) -> None:
    section = bundle(HOST, ("hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", code_object(KERNEL)))
    (kernel,) = kernel_resources(library_with(tmp_path / "lib.so", section))
    assert kernel.kernel == "each<float>"
    assert kernel.architecture == "gfx90a:xnack-"
    assert (kernel.registers, kernel.scalar_registers, kernel.accumulators) == (12, 20, 4)
    assert (kernel.shared_bytes, kernel.scratch_bytes, kernel.wave_size) == (1024, 16, 64)
    assert (kernel.spilled_registers, kernel.spilled_scalars, kernel.most_threads) == (3, 0, 256)
    assert kernel.spills


def test_every_unit_and_every_architecture_is_read(tmp_path: Path) -> None:
    calm = {**KERNEL, ".vgpr_spill_count": 0, ".name": "calm"}
    first = bundle(HOST, ("hipv4-amdgcn-amd-amdhsa--gfx942", code_object(KERNEL, calm)))
    second = bundle(
        HOST,
        ("hipv4-amdgcn-amd-amdhsa--gfx942", code_object(calm)),
        ("hipv4-amdgcn-amd-amdhsa--gfx1151", code_object(calm)),
    )
    section = first.ljust(4096, b"\0") + second
    found = kernel_resources(library_with(tmp_path / "lib.so", section))
    assert [kernel.architecture for kernel in found] == ["gfx942"] * 3 + ["gfx1151"]
    assert [kernel.spills for kernel in found] == [True, False, False, False]


def test_a_code_object_without_kernels_has_none(tmp_path: Path) -> None:
    section = bundle(HOST, ("hipv4-amdgcn-amd-amdhsa--gfx942", code_object()))
    assert kernel_resources(library_with(tmp_path / "lib.so", section)) == []


def test_a_library_without_device_code_is_refused(tmp_path: Path) -> None:
    for content in (elf_with(b"x", ".text"), elf_with(bundle(HOST))):
        (tmp_path / "lib.so").write_bytes(content)
        with pytest.raises(ToolchainError, match="holds no code for an AMD device"):
            kernel_resources(tmp_path / "lib.so")


@pytest.mark.parametrize("content", [b"", b"no ELF", b"\x7fELF\x01\x01" + b"\0" * 60])
def test_what_is_no_library_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "lib.so").write_bytes(content)
    with pytest.raises(ToolchainError, match="cannot be read: it is no ELF file"):
        kernel_resources(tmp_path / "lib.so")


def test_code_that_is_cut_short_or_compressed_is_refused(tmp_path: Path) -> None:
    whole = bundle(HOST, ("hipv4-amdgcn-amd-amdhsa--gfx942", code_object(KERNEL)))
    for section, why in ((whole[:-40], "no MessagePack"), (b"CCOB" + b"\0" * 40, "compressed")):
        with pytest.raises(ToolchainError, match=why):
            kernel_resources(library_with(tmp_path / "lib.so", section))


def test_the_metadata_is_found_behind_other_notes() -> None:
    (made,) = code_objects(elf_with(bundle(("x-amdgcn-amd-amdhsa--gfx942", code_object(KERNEL)))))
    assert metadata(made.elf) == {"amdhsa.kernels": [KERNEL]}
