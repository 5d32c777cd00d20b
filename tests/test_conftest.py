"""The promises of conftest.py itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).with_name("conftest.py")
SKIPPING = """
import pytest

def test_needs_a_tool():
    pytest.skip("no such-tool")

@pytest.mark.{kind}
def test_needs_a_device():
    raise AssertionError("ran without its device")

@pytest.mark.xfail(strict=True)
def test_expected_to_fail():
    assert False
"""
SKIPPED_MODULE = """
import pytest
pytest.importorskip("no_such_module_anywhere")
def test_never_reached(): ...
"""


def run_pytest(folder: Path, source: str, *, ci: str) -> subprocess.CompletedProcess[str]:
    """Run the house's conftest over one test module, in a process of its own."""
    (folder / "conftest.py").write_text(CONFTEST.read_text())
    (folder / "test_sample.py").write_text(source)
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers =\n  cuda: x\n  hip: x\n  npu: x\n  slow: x\n  browser: x\n"
    )
    command = [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", str(folder)]
    environment = {**os.environ, "CI": ci}
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_in_ci_a_skip_for_want_of_a_tool_fails(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, SKIPPING.format(kind="npu"), ci="1")
    assert run.returncode == 1
    assert "no such-tool" in run.stdout
    assert "1 failed, 1 skipped, 1 xfailed" in run.stdout  # the missing device stays a visible skip


def test_outside_ci_a_skip_for_want_of_a_tool_is_a_skip(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, SKIPPING.format(kind="npu"), ci="")
    assert run.returncode == 0
    assert "2 skipped, 1 xfailed" in run.stdout


def test_in_ci_a_module_that_skips_itself_fails(tmp_path: Path) -> None:
    run = run_pytest(tmp_path, SKIPPED_MODULE, ci="1")
    assert run.returncode != 0
    assert "no_such_module_anywhere" in run.stdout
    assert "nothing is skipped for want of a tool" in run.stdout


def test_nothing_can_be_written_to_the_cache_folder_of_the_user() -> None:
    with pytest.raises(OSError, match=r"\.cache"):
        (Path.home() / ".cache" / "opwright").mkdir(parents=True)


def test_the_environment_is_scrubbed_for_children_too() -> None:
    names = [name for name in os.environ if name.startswith("OPWRIGHT_")]
    assert names == ["OPWRIGHT_STORE"]
    assert not {"CXX", "CXXFLAGS", "CPATH", "CUDA_HOME", "XDG_CACHE_HOME"} & set(os.environ)


def test_an_empty_store_is_not_the_shared_one(empty_store: Path) -> None:
    assert os.environ["OPWRIGHT_STORE"] == str(empty_store)
    assert not empty_store.exists()


def test_a_test_that_chooses_no_store_cannot_make_one(no_store_chosen: None) -> None:
    from opwright.build.store import Store
    from opwright.errors import StoreError

    with pytest.raises(StoreError, match=r"\.cache"):
        Store.default().prepare()


def test_ctrl_c_reaches_what_tests_start_even_where_the_runner_ignores_it() -> None:
    """A shell starts background jobs with SIGINT ignored, and what they start inherits that."""
    assert signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@pytest.mark.xdist_group("with a name")
def test_tests_of_one_group_are_known_to_pytest_xdist(request: pytest.FixtureRequest) -> None:
    """By their name; without it, processes build the same things at the same time, or wait for one another."""
    if request.config.getoption("loadgroup", default=False):
        assert request.node.nodeid.endswith("@with a name")
