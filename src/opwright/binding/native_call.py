"""Calls of a library's operator without the interpreter, where nobody looks on and nothing is recorded."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch.autograd import forward_ad

from opwright.binding.below import AUTOGRAD, entry_of
from opwright.binding.library import Library, ThreadState

Kernel = Callable[..., Any]

_TYPES = (torch.Tensor, torch.nn.Parameter, type(None), int, float, bool, str)
# Library -> what ThreadState has of it, in order
_FUNCTIONS = {
    "libc10.so": (
        "_ZN3c104impl28tls_is_dispatch_key_includedENS_11DispatchKeyE",
        "_ZN3c104impl28tls_is_dispatch_key_excludedENS_11DispatchKeyE",
        "_ZN3c104impl29tls_set_dispatch_key_excludedENS_11DispatchKeyEb",
    ),
    "libtorch_cpu.so": ("_ZN2at4impl27torch_function_mode_enabledEv",),
}


def native_call(
    overload: Kernel, careful: Kernel, library: Library, *, learns: bool, casts: bool
) -> Kernel:
    """``careful``, by ``library``'s own code for such calls; ``careful`` itself where that is lacking.

    ``learns``: autograd may record calls; ``casts``: autocast may cast what they take.
    """
    state = _thread_state()
    if state is None:
        return careful
    seen = (
        *(entry_of(overload), careful, not learns),
        torch._C._is_any_autocast_enabled if casts else None,
        *(vars(torch.compiler), "_is_compiling_flag"),
        *(vars(forward_ad), "_current_level"),
        *(_TYPES, "requires_grad"),
    )
    return library.quick_call(seen, state) or careful


@cache
def _thread_state() -> ThreadState | None:
    """None where this torch does not have it by these names."""
    try:
        addresses = [
            ctypes.cast(ctypes.CDLL(library, mode=os.RTLD_NOLOAD)[name], ctypes.c_void_p).value
            for library, names in _FUNCTIONS.items()
            for name in names
        ]
    except (OSError, AttributeError):
        return None
    keys: tuple[Any, ...] = (torch._C.DispatchKey.FuncTorchDynamicLayerFrontMode, AUTOGRAD)
    return ThreadState(*addresses, *(int(key) for key in keys))
