"""Opwright's own operators, built for the CPU, as kernels of the simulated device."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import opwright
from ascend.host_kernels import CORES, kernel


def on_device(
    name: str, adapt: Callable[[Any], Callable[..., Any]], cores: int = CORES
) -> Callable[..., Any]:
    """``adapt`` makes of the shipped operator what is called with a call's arguments."""

    @cache
    def host() -> Callable[..., Any]:
        return adapt(opwright.load(name))

    def call(*arguments: Any, **keywords: Any) -> Any:
        return kernel(host(), cores=cores)(*arguments, **keywords)

    return call
