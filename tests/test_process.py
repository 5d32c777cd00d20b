"""A command runs to its end, whatever it prints, and leaves nothing running."""

from __future__ import annotations

import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from opwright.errors import TimedOut, ToolchainError
from opwright.process import ending, run_command
from small_build import run_python


def running(pid: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    return False


def wait_until_gone(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not running(pid)


def wait_for(path: Path) -> str:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if path.exists() and (text := path.read_text()).endswith("\n"):
            return text
        time.sleep(0.01)
    raise AssertionError(f"{path} did not appear")


def test_both_streams_and_the_exit_code_come_back() -> None:
    done = run_command(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done.stdout, done.stderr, done.returncode, done.ok) == ("out\n", "err\n", 3, False)
    assert done.describe().splitlines() == [
        "sh -c 'echo out; echo err >&2; exit 3': exit code 3",
        "  stdout:",
        "    out",
        "  stderr:",
        "    err",
    ]


def test_bytes_that_are_not_utf8_show_as_escapes() -> None:
    done = run_command(["sh", "-c", r"printf '\262\342\312\324 error: x\n' >&2"])
    assert done.stderr == "\\xb2\\xe2\\xca\\xd4 error: x\n"


def test_of_much_output_the_beginning_and_the_end_are_kept() -> None:
    done = run_command(
        ["sh", "-c", "echo first; head -c 50000000 /dev/zero | tr '\\0' x; echo; echo last"],
        kept_bytes=1000,
    )
    assert done.stdout.startswith("first\nxxx")
    assert done.stdout.endswith("xxx\nlast\n")
    assert "[... 49999012 bytes left out ...]" in done.stdout
    assert len(done.stdout) < 1100


def test_a_missing_program_is_named() -> None:
    with pytest.raises(ToolchainError, match="cannot start /no/such/compiler: No such file"):
        run_command(["/no/such/compiler", "-c"])


def test_a_time_out_ends_grandchildren_in_groups_of_their_own(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    code = (  # as ninja does: each command in a group of its own
        "import os, signal, subprocess, time\n"
        "child = subprocess.Popen(['sleep', '600'], preexec_fn=os.setpgrp)\n"
        f"print(child.pid, file=open({str(note)!r}, 'w'), flush=True)\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "time.sleep(600)"
    )
    with pytest.raises(TimedOut, match="did not end within 3 s"):
        run_command([sys.executable, "-c", code], timeout_seconds=3)
    assert wait_until_gone(int(wait_for(note)))


def test_ctrl_c_ends_what_was_started(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    child = run_python(
        "from opwright.process import run_command\n"
        f"run_command(['sh', '-c', \"echo $$ > '{note}'; sleep 600\"])"
    )
    pid = int(wait_for(note))
    os.kill(child.pid, signal.SIGINT)
    _, err = child.communicate()
    assert "KeyboardInterrupt" in err
    assert wait_until_gone(pid)


def test_a_child_that_keeps_the_output_open_does_not_keep_us() -> None:
    started = time.monotonic()
    pid = int(run_command(["sh", "-c", "sleep 30 & echo $!"]).stdout)
    assert time.monotonic() - started < 20
    os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize(
    "code, text",
    [
        (2, "exit code 2"),
        (-9, "killed by signal 9 (SIGKILL)"),
        (137, "killed by signal 9 (SIGKILL)"),
        (139, "killed by signal 11 (SIGSEGV)"),
        (255, "exit code 255"),
    ],
)
def test_an_ending_is_put_into_words(code: int, text: str) -> None:
    assert ending(code) == text
