from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from emulated.building import KERNELS, Emulated, build, build_runtime
from opwright.emulator.layout import WATCHED_FLAGS

Load = Callable[..., Emulated]


@pytest.fixture(scope="session")
def runtime() -> Path:
    return build_runtime()


@pytest.fixture(scope="session")
def load(runtime: Path, tmp_path_factory: pytest.TempPathFactory) -> Load:
    """Loads a source below ``kernels/``, compiled once a session for each kind of build."""
    folder = tmp_path_factory.mktemp("libraries")

    built: dict[tuple[str, int, bool], Emulated | str] = {}

    def load(source: str, wave_size: int = 32, watched: bool = False) -> Emulated:
        key = (source, wave_size, watched)
        if key not in built:
            flags = WATCHED_FLAGS if watched else ()
            try:
                path = build(KERNELS / source, folder, runtime, wave_size=wave_size, flags=flags)
                built[key] = Emulated.load(path)
            except AssertionError as error:  # told once a test, compiled once
                built[key] = str(error)
        kernels = built[key]
        assert isinstance(kernels, Emulated), kernels
        return kernels

    return load
