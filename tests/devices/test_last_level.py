"""The last level is the outermost one that this process's processors have, all of it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from opwright.devices import last_level as subject
from opwright.devices.device import Device
from opwright.devices.last_level import LastLevel, last_level
from opwright.process import Finished


def machine(root: Path, *caches: tuple[int, str, str, str, str]) -> Path:
    """A sysfs of (processor, level, type, size, who shares it) each."""
    for number, (cpu, level, kind, size, shared) in enumerate(caches):
        index = root / f"sys/devices/system/cpu/cpu{cpu}/cache/index{number}"
        index.mkdir(parents=True)
        texts = {"level": level, "type": kind, "size": size, "shared_cpu_list": shared}
        for name, text in texts.items():
            (index / name).write_text(text + "\n")
    return root


def on_processors(monkeypatch: pytest.MonkeyPatch, *cpus: int) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _pid: set(cpus))


def says(monkeypatch: pytest.MonkeyPatch, **answers: str) -> None:
    def run(command: list[str], **_: Any) -> Finished:
        return Finished(tuple(command), 0, answers.get(command[1], "\n"), "", 0.0)

    monkeypatch.setattr(subject, "run_command", run)


def test_the_outermost_level_counts_in_its_unit(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_processors(monkeypatch, 0)
    inner = [(0, "1", "Data", "32K", "0"), (0, "2", "Unified", "8M", "0")]
    root = machine(tmp_path, *inner, (0, "3", "Unified", "32768K", "0-1"))
    assert last_level(None, root) == LastLevel(32 << 20, "sysfs, level 3")


def test_the_caches_of_several_dies_are_added_up_and_shared_ones_count_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    dies = [(cpu, "3", "Unified", "16M", "0-1" if cpu < 2 else "2-3") for cpu in range(4)]
    root = machine(tmp_path, *dies)
    on_processors(monkeypatch, 0, 1, 2, 3)
    assert last_level(None, root).size_bytes == 32 << 20
    on_processors(monkeypatch, 0, 1)
    assert last_level(None, root).size_bytes == 16 << 20


def test_a_cache_of_instructions_is_none_of_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    on_processors(monkeypatch, 0)
    root = machine(tmp_path, (0, "1", "Data", "32K", "0"), (0, "2", "Instruction", "1M", "0"))
    assert last_level(None, root) == LastLevel(32 << 10, "sysfs, level 1")


def test_without_sysfs_the_c_library_is_asked_from_the_outermost_level_inwards(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    says(monkeypatch, LEVEL3_CACHE_SIZE="4096\n", LEVEL2_CACHE_SIZE="1024\n")
    assert last_level(None, tmp_path) == LastLevel(4096, "getconf, level 3")


def test_where_nobody_knows_it_is_zero_with_a_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    says(monkeypatch)
    found = last_level(None, tmp_path)
    assert found.size_bytes == 0
    assert "neither" in found.reason


def device_of(properties: Any) -> Device:
    module = SimpleNamespace(get_device_properties=lambda _device: properties)
    made = SimpleNamespace(kind="cuda", first=torch.device("cuda", 0), module=module, name="GPU")
    return cast("Device", made)


def test_a_device_says_itself_or_is_said_not_to() -> None:
    assert last_level(device_of(SimpleNamespace(L2_cache_size=50 << 20))).size_bytes == 50 << 20
    silent = last_level(device_of(SimpleNamespace()))
    assert (silent.size_bytes, "no L2_cache_size" in silent.reason) == (0, True)


@pytest.mark.cuda
def test_a_gpu_has_one() -> None:
    assert last_level(Device("cuda")).size_bytes > 1 << 20
