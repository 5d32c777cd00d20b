"""Ranks have the order of PyTorch's stable sort, and give back what they were made of."""

from __future__ import annotations

import ctypes

import pytest
import torch

from native_library import compile_library

pytestmark = pytest.mark.xdist_group("rank")  # one library is compiled for all

SOURCE = """
#include <opwright/rank.h>
#define EXPORT(name, T) \\
  extern "C" void name(const T* x, int64_t count, uint64_t* ranks, int64_t* indices, float* values) { \\
    for (int64_t i = 0; i < count; ++i) { \\
      const auto rank = opwright::rank_of(x[i], static_cast<uint32_t>(i)); \\
      ranks[i] = rank; \\
      indices[i] = opwright::index_of(rank); \\
      values[i] = opwright::value_of<T>(rank); \\
    } \\
  }
EXPORT(float32, float)
EXPORT(bfloat16, opwright::bfloat16)
EXPORT(float16, opwright::float16)
"""
DTYPES = (torch.float32, torch.bfloat16, torch.float16)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    return compile_library(tmp_path_factory.mktemp("rank"), SOURCE, ("-O2",), parallel_for=False)


def numbers(dtype: torch.dtype) -> torch.Tensor:
    """Every number of a 16-bit type in any order, or as many of float32, with all that is special."""
    bits = torch.randperm(2**16).to(torch.int16)
    if dtype != torch.float32:
        return bits.view(dtype)
    return torch.cat([bits.view(torch.bfloat16).float(), torch.randn(1000), torch.zeros(3)])


def ranked(
    library: ctypes.CDLL, x: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The ranks, and the indices and values in them."""
    ranks, indices = torch.empty(2, x.numel(), dtype=torch.int64)
    values = torch.empty(x.numel())
    pointers = [ctypes.c_void_p(each.data_ptr()) for each in (x, ranks, indices, values)]
    count = ctypes.c_int64(x.numel())
    getattr(library, str(x.dtype)[6:])(pointers[0], count, *pointers[1:])
    return ranks, indices, values


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_a_rank_knows_its_place_its_index_and_its_value(
    library: ctypes.CDLL, dtype: torch.dtype
) -> None:
    x = numbers(dtype)
    ranks, indices, values = ranked(library, x)
    assert torch.equal(indices, torch.arange(x.numel()))
    torch.testing.assert_close(values, x.float(), rtol=0, atol=0, equal_nan=True)
    unsigned = ranks ^ torch.iinfo(torch.int64).min  # in the order of numbers without a sign
    order = unsigned.argsort(descending=True)
    assert torch.equal(order, x.sort(descending=True, stable=True).indices)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_no_rank_is_the_least_or_the_largest(library: ctypes.CDLL, dtype: torch.dtype) -> None:
    """They stand for what is no element, and for what comes before the first."""
    largest = 2**64 - 1 if dtype == torch.float32 else 2**32 - 1
    for value in (float("nan"), -float("nan"), float("inf"), -float("inf")):
        ranks, _, _ = ranked(library, torch.full((2**16,), value, dtype=dtype))
        for rank in (int(ranks[0]), int(ranks[-1])):
            assert rank % 2**64 not in (0, largest)
