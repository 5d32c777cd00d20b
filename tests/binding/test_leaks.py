"""Calls, also those that are refused, hold on to nothing."""

from __future__ import annotations

import gc
import sys
from pathlib import Path

import pytest
import torch

CALLS = 10_000


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


def refused(call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except RuntimeError:
        return
    raise AssertionError("not refused")


def calls(ops):
    """Name -> a call that must not leak: 64 kB of tensors, each kind of argument."""
    x, y = torch.ones(64, 256), torch.ones(64, 256)
    wide = torch.ones(64, 512)[:, ::2]
    scalar = torch.tensor(1.0, dtype=torch.float64)
    text = "abc" * 30
    return {
        "taken": lambda: ops.spread(x, y),
        "refused by size": lambda: refused(ops.spread, x, y[:3]),
        "refused by density": lambda: refused(ops.spread, x, wide),
        "scalars": lambda: ops.scalars(scalar, 1, 1.0, True, "abc", 1, 1.0, True, "xy"),
        "refused by text": lambda: refused(
            ops.scalars, scalar, 1, 1.0, True, text, 1, 1.0, True, "xy"
        ),
        "refused by its kernel": lambda: refused(
            ops.throws, torch.ones(3, dtype=torch.int64), "runtime error"
        ),
    }


@pytest.mark.parametrize(
    "kind",
    [
        "taken",
        "refused by size",
        "refused by density",
        "scalars",
        "refused by text",
        "refused by its kernel",
    ],
)
def test_no_memory_is_kept(stable_ops, kind):
    call = calls(stable_ops)[kind]
    for _ in range(CALLS // 10):
        call()
    gc.collect()
    before = resident_bytes()
    for _ in range(CALLS):
        call()
    gc.collect()
    # one lost object of 64 bytes a call would be 0.6 MB, one lost output 0.6 GB
    assert resident_bytes() - before < 500_000


def test_no_reference_to_an_argument_is_kept(ops):
    x, y = torch.ones(3, 4), torch.ones(3, 4)
    before = (sys.getrefcount(x), sys.getrefcount(y), x._use_count(), y._use_count())
    for _ in range(100):
        ops.spread(x, y)
        refused(ops.spread, x, y[:2])
        refused(ops.spread, x, y.t())
    assert (sys.getrefcount(x), sys.getrefcount(y), x._use_count(), y._use_count()) == before


def test_an_output_dies_with_its_last_reference(ops):
    low, _ = ops.spread(torch.ones(1000, 1000))
    assert sys.getrefcount(low) == 2
    assert low._use_count() == 1
