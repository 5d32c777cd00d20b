"""Whether a library's architectures run on the GPUs that are here."""

from __future__ import annotations

import pytest
import torch

from opwright.devices import cuda
from opwright.errors import DeviceError


def with_gpus(monkeypatch: pytest.MonkeyPatch, *capabilities: tuple[int, int]) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: bool(capabilities))
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(capabilities))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index=0: capabilities[index])


@pytest.mark.parametrize(
    ("built_for", "gpu"),
    [
        ("sm_90", (9, 0)),
        ("sm_80", (8, 6)),  # code of the same major number
        ("sm_80,sm_90", (8, 9)),
        ("sm_80", (9, 0)),  # PTX, translated by the driver
        ("sm_90a", (9, 0)),
    ],
)
def test_what_runs_is_taken(
    monkeypatch: pytest.MonkeyPatch, built_for: str, gpu: tuple[int, int]
) -> None:
    with_gpus(monkeypatch, gpu)
    cuda.require_architecture(built_for, "op")


@pytest.mark.parametrize(
    ("built_for", "gpu"),
    [
        ("sm_90", (8, 0)),  # newer than the chip
        ("sm_86", (8, 0)),
        ("sm_90a", (10, 0)),  # one chip's own instructions
    ],
)
def test_what_does_not_run_is_refused_with_what_is_wanted_and_what_is_had(
    monkeypatch: pytest.MonkeyPatch, built_for: str, gpu: tuple[int, int]
) -> None:
    with_gpus(monkeypatch, gpu)
    with pytest.raises(
        DeviceError, match=rf"sm_{gpu[0]}{gpu[1]}, .* built for {built_for}"
    ) as caught:
        cuda.require_architecture(built_for, "op")
    assert f"--target cuda:sm_{gpu[0]}{gpu[1]}" in caught.value.hint


def test_every_gpu_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with_gpus(monkeypatch, (9, 0), (8, 0))
    with pytest.raises(DeviceError, match="no kernel image for cuda:1"):
        cuda.require_architecture("sm_90", "op")


def test_without_a_gpu_it_says_what_runs_without_one(monkeypatch: pytest.MonkeyPatch) -> None:
    with_gpus(monkeypatch)
    with pytest.raises(DeviceError, match="sees no GPU") as caught:
        cuda.require_architecture("sm_90", "op")
    assert "--target emulated" in caught.value.hint
