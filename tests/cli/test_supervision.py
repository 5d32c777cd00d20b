from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli_operators import OPERATORS
from marked_processes import all_gone, processes_with
from opwright.errors import EndedEarly

Opwright = Callable[..., "subprocess.CompletedProcess[str]"]

ENDINGS = {
    "import os; os._exit(0)": "exit code 0",
    "import ctypes; ctypes.CDLL(None).exit(3)": "exit code 3",
    "import ctypes; ctypes.string_at(0)": "killed by signal 11 (SIGSEGV)",
    "import os; os.kill(os.getpid(), 9)": "killed by signal 9 (SIGKILL)",
    "import os; os.execv('/bin/true', ['true'])": "exit code 0",
}


def description(folder: Path, first: str, last: str = "") -> Path:
    file = folder / "op.py"
    file.write_text(f"{first}\n{OPERATORS}\n{last}\n")
    return file


@pytest.mark.parametrize("statement", ENDINGS)
def test_a_description_that_ends_its_process_is_named_and_is_no_finished_run(
    statement: str, opwright: Opwright, tmp_path: Path
) -> None:
    file = description(tmp_path, statement)
    result = opwright("build", tmp_path)
    assert result.returncode == EndedEarly.exit_code, result.stderr
    assert result.stdout == ""
    assert f"error: {file} (asked for as {tmp_path}) ended the process" in result.stderr
    assert f"({ENDINGS[statement]}) before the run was finished" in result.stderr


def test_what_a_description_leaves_behind_to_end_the_process_is_noticed_too(
    opwright: Opwright, tmp_path: Path
) -> None:
    later = "import threading; threading.Timer(0.2, lambda: os._exit(0)).start(); import atexit"
    file = description(tmp_path, "", f"{later}\nend = described('end', lambda input: input)")
    result = opwright("check", f"{file}:endless", "--only", "numerics")
    assert result.returncode == EndedEarly.exit_code
    assert "before the run was finished" in result.stderr


def test_what_runs_at_the_exit_of_a_finished_command_cannot_change_its_code(
    opwright: Opwright, tmp_path: Path
) -> None:
    file = description(tmp_path, "import atexit, os; atexit.register(os._exit, 9)")
    assert opwright("build", f"{file}:right").returncode == 0


@pytest.mark.parametrize(
    "fork",
    [
        pytest.param("os.fork()", marks=pytest.mark.exhaustive),
        "if os.fork() == 0: raise SystemExit(1)",
    ],
)
def test_a_fork_of_a_description_that_comes_back_does_nothing_twice(
    fork: str, opwright: Opwright, tmp_path: Path
) -> None:
    file = description(tmp_path, f"import os\n{fork}")
    result = opwright("check", f"{file}:right", "--only", "numerics")
    assert result.returncode == 0, result.stderr
    assert result.stdout.count("right: pass (") == 1
    assert result.stderr.count("right: numerics: ") == 1
    assert "error" not in result.stderr


@contextmanager
def endless(folder: Path, *arguments: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A command whose description never comes to its end, and the mark of its processes."""
    mark = f"OPWRIGHT_MARK_{uuid.uuid4().hex}"
    started = folder / "started"
    description(
        folder, f"import time\nopen({str(started)!r}, 'w').close()\nwhile True: time.sleep(0.1)"
    )
    with subprocess.Popen(
        [sys.executable, "-m", "opwright", "build", str(folder), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, mark: "1"},
        start_new_session=True,
    ) as process:
        try:
            while not started.exists():
                time.sleep(0.05)
            yield process, mark
        finally:
            process.kill()


@pytest.mark.parametrize(
    "number, code", [(signal.SIGINT, 130), (signal.SIGTERM, -15), (signal.SIGHUP, -1)]
)
def test_a_signal_to_the_command_ends_all_of_it_as_it_would_end_one_process(
    number: signal.Signals, code: int, tmp_path: Path
) -> None:
    with endless(tmp_path) as (process, mark):
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert process.returncode == code
        assert "error" not in said
        assert ("interrupted" in said) == (number == signal.SIGINT)
        assert all_gone(mark)


def test_a_ctrl_c_that_reaches_both_processes_interrupts_once(tmp_path: Path) -> None:
    with endless(tmp_path) as (process, mark):
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130
        assert said.splitlines()[-1] == "interrupted"
        assert all_gone(mark)


def test_a_killed_command_leaves_nothing_running(tmp_path: Path) -> None:
    with endless(tmp_path) as (process, mark):
        assert len(processes_with(mark)) == 2
        process.kill()
        assert all_gone(mark)


def test_what_takes_long_is_said_and_not_in_quiet(tmp_path: Path) -> None:
    with endless(tmp_path) as (process, _):
        assert process.stderr is not None
        assert process.stderr.readline() == f"running {tmp_path / 'op.py'}\n"
    with endless(tmp_path, "--quiet") as (process, _):
        time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[1] == "interrupted\n"
