"""The simulated device, built once a run, in this process. What spoils it is done in another one."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def device() -> ModuleType:
    """``torch.simulated``."""
    from opwright.session.simulating import simulated_device

    return simulated_device()


@pytest.fixture
def elsewhere(device: ModuleType) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs code in a process of its own, where ``device`` is the simulated device."""

    def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
        begin = "import torch\nfrom opwright.session.simulating import simulated_device\n"
        return subprocess.run(
            [sys.executable, "-c", f"{begin}device = simulated_device()\n{code}"],
            check=False,
            cwd=HERE,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run
