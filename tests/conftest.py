"""What holds for every test: a store of its own, a scrubbed environment, and skips that are honest.

The whole process is scrubbed before the first test is collected, so that fixtures of any scope and
child processes see the same environment. Nothing may be written below the home folder.
"""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

# What a compiler, a linker, torch, a vendor toolkit, a terminal library or Opwright itself reads.
SCRUBBED = (
    *("CC", "CXX", "CPP", "CFLAGS", "CXXFLAGS", "CPPFLAGS", "LDFLAGS", "NVCC_APPEND_FLAGS"),
    *("NVCC_PREPEND_FLAGS", "NVCC_CCBIN", "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH"),
    *("LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX", "SOURCE_DATE_EPOCH", "MAX_JOBS"),
    *("TORCH_EXTENSIONS_DIR", "TORCH_CUDA_ARCH_LIST", "PYTORCH_ROCM_ARCH", "PYTHONPATH"),
    *("CUDA_HOME", "CUDA_PATH", "ROCM_HOME", "ROCM_PATH", "HIP_PATH", "ASCEND_HOME_PATH"),
    *("XDG_CACHE_HOME", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "MAKEFLAGS", "MAKELEVEL"),
)
SOURCE = Path(__file__).parent.parent / "src"
DEVICES = ("cuda", "hip", "npu")
ALLOWED_SKIP = pytest.StashKey[bool]()


def pytest_configure(config: pytest.Config) -> None:
    """Scrub the environment, and give this run a home that refuses to be written to."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell starts background jobs
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):
        os.environ.pop(
            "GLIBC_TUNABLES", None
        )  # for this process alone: compilers are slower with it
        return  # a worker of pytest-xdist inherits what the first process has set
    for name in [*SCRUBBED, *(name for name in os.environ if name.startswith("OPWRIGHT_"))]:
        os.environ.pop(name, None)
    scratch = Path(tempfile.mkdtemp(prefix="opwright-tests-"))
    config.add_cleanup(lambda: shutil.rmtree(scratch, ignore_errors=True))
    home = scratch / "home"
    home.mkdir()
    # A file where the cache folder would be: not even root can make a store there.
    (home / ".cache").write_text("Tests must choose a store.\n")
    os.environ["HOME"] = str(home)
    os.environ["OPWRIGHT_STORE"] = str(scratch / "store")
    os.environ["PYTHONPATH"] = str(SOURCE)
    os.environ["MPLCONFIGDIR"] = str(scratch / "matplotlib")  # fonts are looked for once a run
    # Several processes at a time share the processors: threads that wait must not keep one.
    os.environ["OMP_WAIT_POLICY"] = "passive"
    # Checks that poison memory run in the workers themselves, too; see `opwright.watch.poison`.
    os.environ["GLIBC_TUNABLES"] = "glibc.malloc.tcache_count=0"


@pytest.fixture
def empty_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store that nobody has built into yet; the other tests share one, which is faster."""
    store = tmp_path / "empty-store"
    monkeypatch.setenv("OPWRIGHT_STORE", str(store))
    return store


@pytest.fixture
def no_store_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment of a user who has said nothing; making the default store then fails."""
    monkeypatch.delenv("OPWRIGHT_STORE")


def device_present(kind: str) -> bool:
    """Whether torch sees a device of ``kind`` here; torch is imported only if it is built for one."""
    if kind == "npu":
        if find_spec("torch_npu") is None:
            return False
    else:
        from opwright.toolchain.torch_facts import torch_facts

        if not (torch_facts().hip if kind == "hip" else torch_facts().cuda):
            return False
    import torch

    return bool(torch.npu.is_available() if kind == "npu" else torch.cuda.is_available())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests whose device is not here; that is the one kind of skip that CI accepts."""
    present: dict[str, bool] = {}
    for item in items:
        for kind in DEVICES:
            if item.get_closest_marker(kind) is None:
                continue
            if kind not in present:
                present[kind] = device_present(kind)
            if not present[kind]:
                item.stash[ALLOWED_SKIP] = True
                item.add_marker(pytest.mark.skip(reason=f"no {kind} device on this machine"))


def in_ci() -> bool:
    """Whether a missing tool is a failure: .ci/run installs every tool that the tests need."""
    return bool(os.environ.get("CI"))


def refuse_skip(report: Any) -> None:
    """Turn a skip into a failure that says what was missing."""
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
    report.outcome = "failed"
    report.longrepr = f"In CI nothing is skipped for want of a tool, but this was: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    report: Any = yield
    expected = hasattr(report, "wasxfail") or item.stash.get(ALLOWED_SKIP, False)
    if in_ci() and report.skipped and not expected:
        refuse_skip(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Iterator[None]:
    report: Any = yield
    if in_ci() and report.skipped:
        refuse_skip(report)
    return report
