from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from emulated.building import KERNELS, Emulated, build, build_runtime
from opwright.emulator.layout import WATCHED_FLAGS

Load = Callable[..., Emulated]


@pytest.fixture(scope="session")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_runtime(tmp_path_factory.mktemp("runtime"))


@pytest.fixture(scope="session")
def load(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Load:
    """Loads a source below ``kernels/``, compiled once a session for each kind of build."""
    folder = tmp_path_factory.mktemp("libraries")

    @cache
    def load(source: str, wave_size: int = 32, watched: bool = False) -> Emulated:
        flags = WATCHED_FLAGS if watched else ()
        return Emulated.load(
            build(KERNELS / source, folder, runtime, wave_size=wave_size, flags=flags)
        )

    return load
