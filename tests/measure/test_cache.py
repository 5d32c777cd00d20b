"""A flush is seen to work, copied, copies_that_hold inputs lie where they lay, and what cannot be told is not told."""

from __future__ import annotations

import statistics

import pytest
import torch

from opwright import Dim, Operator, Tensor
from opwright.devices.device import Device
from opwright.devices.last_level import LastLevel
from opwright.inputs.call import Call
from opwright.measure import cache
from opwright.measure.cache import (
    Flush,
    copied,
    copies_that_hold,
    flush_is_effective,
    held_bytes,
    last_level_cache_bytes,
)

N = Dim("n")
ADD = Operator(
    "add(Tensor a, Tensor b, float k=2.0) -> Tensor",
    inputs={"a": Tensor(N, N, layout="strided"), "b": Tensor(N, N, layout="strided")},
    dtypes=("float32",),
    reference=lambda a, b, k=2.0: a + k * b,
    function=lambda a, b, k=2.0: a + k * b,
).spec


def call(a: torch.Tensor, b: torch.Tensor) -> Call:
    return Call(ADD, {"a": a, "b": b, "k": 2.0})


def test_a_flush_is_of_twice_the_last_level_and_of_pages_that_are_there() -> None:
    flush = Flush(None, 1 << 20)
    flush()
    flush()
    assert flush.size_bytes == 2 << 20
    touched = flush._buffer[::8]
    assert len(touched) == (2 << 20) // 64, "each line of 64 bytes"
    assert int(touched.min()) == int(touched.max()) == 3, "written before, and by each flush"


def test_a_flush_of_an_unknown_last_level_is_of_a_usual_size() -> None:
    assert Flush(None, 0).size_bytes > 64 << 20


def test_a_real_flush_takes_more_out_of_the_caches_than_none_which_is_not_taken_for_one() -> None:
    """How much it takes out is the machine's: a last level that others share may keep a part, and is told so."""
    size_bytes = last_level_cache_bytes(None)
    if not size_bytes:
        pytest.skip("this machine does not say how large its last level is")
    threads = torch.get_num_threads()
    flush = Flush(None, size_bytes)
    real = [flush_is_effective(flush, None) for _ in range(3)]
    none = [flush_is_effective(lambda: None, None) for _ in range(3)]
    can_tell = all(effect.verdict != "cannot tell" for effect in real)
    ratios = [statistics.median(effect.ratio for effect in some) for some in (real, none)]
    assert not can_tell or ratios[0] > 1.05 * ratios[1], (real, none)
    assert any(effect.verdict != "effective" for effect in none), none
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize(
    ("warm", "flushed", "cold", "verdict"),
    [
        (10.0, 30.0, 31.0, "effective"),
        (10.0, 45.0, 31.0, "effective"),  # also what was read into the cache had to be written back
        (10.0, 10.0, 31.0, "not effective"),
        (10.0, 20.0, 31.0, "not effective"),  # half of it is left
        (30.0, 31.0, 31.0, "cannot tell"),
        (30.0, 60.0, 31.0, "cannot tell"),  # nothing is cold here to compare with
    ],
)
def test_a_flush_is_held_to_what_is_certainly_cold(
    warm: float, flushed: float, cold: float, verdict: str
) -> None:
    noise = [0.98, 0.99, 1.0, 1.0, 1.0, 1.01, 1.02]
    effect = cache._compared(*([t * n for n in noise] for t in (warm, flushed, cold)), read_bytes=8)
    assert effect.verdict == verdict
    assert effect.ratio == pytest.approx(flushed / warm)
    assert f"flushed {0.99 * flushed:.1f} µs" in effect.reason, "the lower quarter"


def test_times_that_scatter_more_than_they_differ_tell_nothing() -> None:
    scattered = [5.0, 10.0, 20.0, 40.0, 80.0]
    assert cache._compared(scattered, scattered, [t * 1.5 for t in scattered], 8).verdict == (
        "cannot tell"
    )


def test_nothing_is_told_of_a_last_level_of_unknown_size(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "last_level", lambda _device: LastLevel(0, "", "nobody says"))
    effect = flush_is_effective(lambda: None, None)
    assert effect.verdict == "cannot tell"
    assert "nobody says" in effect.reason


def test_copies_hold_as_much_as_asked_in_memory_of_their_own() -> None:
    one = call(torch.randn(16, 16), torch.randn(16, 16))
    calls = [copied(one) for _ in range(copies_that_hold(one, 10_000))]
    assert len(calls) == 5  # of 2048 bytes each
    assert held_bytes(calls) == 5 * 2048
    pointers = [t.data_ptr() for c in (one, *calls) for t in c.tensors.values()]
    assert len(set(pointers)) == len(pointers)
    assert all(torch.equal(c.arguments["a"], one.arguments["a"]) for c in calls)
    assert all(c.arguments["k"] == 2.0 for c in calls)


def test_a_copy_lies_in_memory_as_the_call_does() -> None:
    whole = torch.randn(6, 16)
    views = call(whole.t()[3:9], torch.randn(1, 6).expand(6, 6))
    for name, tensor in copied(views).tensors.items():
        original = views.tensors[name]
        assert tensor.stride() == original.stride()
        assert tensor.storage_offset() == original.storage_offset()
        assert torch.equal(tensor, original)


def test_tensors_that_share_memory_share_it_in_a_copy() -> None:
    whole = torch.zeros(4, 4)
    copy = copied(call(whole, whole.t()))
    copy.arguments["a"][0, 1] = 7
    assert copy.arguments["b"][1, 0] == 7
    assert whole.sum() == 0


@pytest.mark.parametrize("side", [0, 1])
def test_small_and_empty_calls_end_in_a_few(side: int) -> None:
    count = copies_that_hold(call(torch.ones(side, side), torch.ones(side, side)), 1 << 40)
    assert 2 <= count <= 4096


@pytest.mark.cuda
def test_on_a_gpu_the_flush_works_and_none_does_not() -> None:
    device = Device("cuda")
    size_bytes = last_level_cache_bytes(device)
    assert flush_is_effective(Flush(device, size_bytes), device).verdict == "effective"
    assert flush_is_effective(lambda: None, device).verdict == "not effective"
