"""Digests of results with their inputs, by which one process knows what another has judged."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Sequence
from typing import Any

import torch

_WORD_BYTES, _CHUNK_WORDS = 8, 1 << 23
_ODD = -7046029254386353131  # 2^64 over the golden ratio, as a signed number


def digest_of(tensors: Sequence[Any]) -> str:
    """Of values, sizes and dtypes; empty where one is no tensor, or lies on no host and no GPU."""
    state = hashlib.blake2b(digest_size=16)
    for tensor in tensors:
        if not isinstance(tensor, torch.Tensor) or tensor.device.type not in ("cpu", "cuda"):
            return ""
        state.update(f"{tensor.dtype} {tuple(tensor.shape)} {tensor.stride()}".encode())
        dense = tensor.detach().contiguous().reshape(-1).view(torch.uint8)
        if dense.device.type == "cpu":
            # The bytes as they lie there: NumPy, which would say it shorter, need not be installed.
            state.update((ctypes.c_ubyte * dense.numel()).from_address(dense.data_ptr()))
        else:
            state.update(",".join(map(str, sums_of(dense))).encode())
    return state.hexdigest()


def sums_of(dense: torch.Tensor) -> list[int]:
    """Two sums modulo 2^64 over bytes, one of which weighs each place otherwise: quick where the bytes are."""
    count = dense.numel() // _WORD_BYTES * _WORD_BYTES
    whole, rest = dense[:count], dense[count:]
    words = whole.clone().view(torch.int64)  # a view may begin anywhere
    plain, weighed = words.sum(), torch.zeros_like(words[:1]).sum()
    for start in range(0, words.numel(), _CHUNK_WORDS):
        part = words[start : start + _CHUNK_WORDS]
        places = torch.arange(start, start + part.numel(), device=part.device)
        mixed = (part ^ (part >> 29)) * (places * 2 + 1)
        weighed = weighed + ((mixed ^ (mixed >> 32)) * _ODD).sum()
    return [int(plain), int(weighed), *rest.tolist()]
