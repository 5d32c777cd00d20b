"""An environment of its own for torch-npu on the simulated runtime, made once and kept below ``build/``.

The wheel is the vendor's, unmodified. It stays out of the tests' own environment: with it installed, a
plain ``import torch`` fails where there is no Ascend software.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

import pytest
import torch

from ascend.simulated_acl import RUNTIME, build_runtime
from opwright.lock import hold

ROOT = Path(__file__).parents[2]
TORCH_NPU = "2.13.0"
# What it needs beside torch; torchair, which is inside it, declares the last two not.
_NEEDS = ("pyyaml", "packaging", "protobuf")
_SECONDS = 600.0
_MARK = "told: "  # as trials.py writes it


@dataclass(frozen=True)
class Environment:
    """Where the wheel was unpacked (``site``), and where the simulated runtime is."""

    site: Path
    runtime: Path

    def variables(self, store: str, **more: str) -> dict[str, str]:
        """The environment of a process that has torch-npu; ``more`` comes on top."""
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith("OPWRIGHT_")
        }
        path = (self.site, ROOT / "src", ROOT / "tests")
        return {
            **kept,
            "PYTHONPATH": os.pathsep.join(map(str, path)),
            "LD_LIBRARY_PATH": str(self.runtime),
            "TASK_QUEUE_ENABLE": "0",  # kernels of the host are not in torch-npu's own queue
            "OPWRIGHT_STORE": store,
            "COLUMNS": "200",
            **more,
        }

    def run(
        self, *arguments: object, given: str = "", **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run ``python ARGUMENTS`` there."""
        return subprocess.run(
            [sys.executable, *map(str, arguments)],
            input=given,
            env=self.variables(os.environ["OPWRIGHT_STORE"], **more),
            cwd=self.runtime.parent,  # compilers leave folders where they work
            capture_output=True,
            text=True,
            check=False,
            timeout=_SECONDS,
        )

    @contextmanager
    def trials(self, operator: str) -> Iterator[Trials]:
        """A process that makes trials of an operator below ``operators/``."""
        here = Path(__file__).parent
        with (
            tempfile.TemporaryFile("w+") as complaints,
            subprocess.Popen(
                [sys.executable, str(here / "trials.py"), str(here / "operators" / operator)],
                env=self.variables(os.environ["OPWRIGHT_STORE"]),
                cwd=self.runtime.parent,  # compilers leave folders where they work
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=complaints,
                text=True,
            ) as process,
        ):
            try:
                yield Trials(process, complaints)
            finally:
                process.kill()


class Trials:
    """Asks the process of ``trials.py``, which has imported torch-npu once for all tests."""

    def __init__(self, process: subprocess.Popen[str], complaints: TextIO) -> None:
        self._process, self._complaints = process, complaints

    def made(self, mode: str, asked: list[tuple[str, str, str]]) -> list[Any]:
        """What came of trials in a mode, each an arrangement, a way, and a fault of the runtime."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{json.dumps([mode, asked])}\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            if line.startswith(_MARK):
                told: list[Any] = json.loads(line.removeprefix(_MARK))
                return told
        self._complaints.seek(0)
        raise AssertionError(self._complaints.read()[-5000:])


def make_environment() -> Environment:
    """The environment, made now where it is not there. Skips where it cannot be had, with the reason."""
    if torch.__version__.partition("+")[0] != TORCH_NPU:
        pytest.skip(
            f"torch-npu {TORCH_NPU} needs torch {TORCH_NPU}, and this is {torch.__version__}"
        )
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    folder = ROOT / "build" / "ascend" / f"torch_npu-{TORCH_NPU}-python{python}"
    folder.mkdir(parents=True, exist_ok=True)
    with hold(folder / "lock", purpose="making an environment", timeout_seconds=_SECONDS):
        site = folder / "site"
        if not site.is_dir():
            _install(site)
        runtime = folder / f"runtime-{_digest()}"
        if not runtime.is_dir():
            making = folder / "making"
            shutil.rmtree(making, ignore_errors=True)
            build_runtime(site, making)
            making.rename(runtime)
    return Environment(site, runtime)


def _install(site: Path) -> None:
    making = site.with_name("installing")
    shutil.rmtree(making, ignore_errors=True)
    needs = [*_NEEDS, *([] if find_spec("numpy") else ["numpy"])]
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile")
    command = (sys.executable, "-m", "pip", "install", *options, "--target", str(making))
    done = subprocess.run(
        [*command, f"torch-npu=={TORCH_NPU}", *needs],
        capture_output=True,
        text=True,
        check=False,
        timeout=_SECONDS,
    )
    if done.returncode != 0:
        said = (done.stderr.strip().splitlines() or ["nothing"])[-1]
        pytest.skip(f"torch-npu {TORCH_NPU} cannot be installed with pip: {said}")
    making.rename(site)


def _digest() -> str:
    """Of everything that the runtime is made from."""
    files = (
        *sorted(RUNTIME.iterdir()),
        *(RUNTIME.parent / f for f in ("simulated_acl.py", "unsimulated.py")),
    )
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:12]
