"""Figures about memory agree with what the process did."""

from __future__ import annotations

import os

import pytest

from opwright.worker import memory


def test_memory_that_is_touched_is_held() -> None:
    before = memory.held_bytes(os.getpid())
    block = bytearray(b"x") * (64 << 20)
    assert memory.held_bytes(os.getpid()) - before >= 60 << 20
    assert len(block) == 64 << 20


def test_a_process_that_is_gone_holds_nothing() -> None:
    pid = os.posix_spawn("/bin/true", ["true"], {})
    os.waitpid(pid, 0)
    assert memory.held_bytes(pid) == 0


def test_the_hard_stop_lies_above_what_is_mapped_already() -> None:
    assert memory.hard_stop_bytes(1 << 30, cpus=2) > memory.reserved_bytes() + (1 << 30)


def test_free_memory_is_no_more_than_the_machine_has() -> None:
    physical = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert 0 < memory.free_bytes() <= physical


def test_a_control_group_with_less_memory_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "free_memory_bytes", lambda: 123)
    assert memory.free_bytes() == 123
    monkeypatch.setattr(memory, "free_memory_bytes", lambda: None)
    assert memory.free_bytes() > 1 << 50
