"""Every change of global state shows, and what is put back does not."""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable

import pytest
import torch

from opwright.checks.state.floating_point import control_state
from opwright.checks.state.process import differences, process_state


def changed_by(change: Callable[[], object], undo: Callable[[], object]) -> list[str]:
    before = process_state()
    change()
    try:
        return [name for name, _, _ in differences(before, process_state())]
    finally:
        undo()


CHANGES = {
    "torch's default dtype": (
        lambda: torch.set_default_dtype(torch.float64),
        lambda: torch.set_default_dtype(torch.float32),
    ),
    "torch's gradient mode": (
        lambda: torch.set_grad_enabled(False),
        lambda: torch.set_grad_enabled(True),
    ),
    "torch's float32 matmul precision": (
        lambda: torch.set_float32_matmul_precision("medium"),
        lambda: torch.set_float32_matmul_precision("highest"),
    ),
    "torch's random state": (lambda: torch.rand(1), lambda: None),
    "sys.path": (lambda: sys.path.append("x"), lambda: sys.path.remove("x")),
    "environment variable PLANTED": (
        lambda: os.environ.update(PLANTED="1"),
        lambda: os.environ.pop("PLANTED"),
    ),
    "handler of SIGUSR1": (
        lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN),
        lambda: signal.signal(signal.SIGUSR1, signal.SIG_DFL),
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_is_named(name: str) -> None:
    assert changed_by(*CHANGES[name]) == [name]


def test_a_warning_filter_is_named() -> None:
    with warnings.catch_warnings():
        names = changed_by(lambda: warnings.simplefilter("ignore", UserWarning), lambda: None)
    assert names == ["warning filters"]


def test_an_exchanged_function_is_named_and_a_new_one_is_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.nn.functional, "planted", print, raising=False)
    before = process_state()
    monkeypatch.setattr(torch.nn.functional, "gelu", print)
    monkeypatch.setattr(torch.nn.functional, "planted_too", print, raising=False)
    names = [name for name, _, _ in differences(before, process_state())]
    assert names == ["function torch.nn.functional.gelu"]


def test_nothing_done_is_nothing_changed() -> None:
    assert list(differences(process_state(), process_state())) == []


def test_flushing_subnormal_numbers_shows_in_registers_and_in_arithmetic() -> None:
    before = control_state(threads=False)
    if not torch.set_flush_denormal(True):
        pytest.fail("this processor cannot flush subnormal numbers")
    try:
        after = control_state(threads=False)
    finally:
        torch.set_flush_denormal(False)
    assert after != before
    assert after["twice the smallest subnormal number"] == "0.0"
    assert control_state(threads=False) == before


def test_threads_compute_with_subnormal_numbers() -> None:
    assert control_state()["subnormal numbers in torch's threads"].startswith("0 of")
