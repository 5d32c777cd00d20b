from __future__ import annotations

import io
import os
import sys
from contextlib import suppress

import pytest

from opwright.cli.terminal import aside, output, survive_any_encoding


def printed(capsys: pytest.CaptureFixture[str]) -> str:
    output().print("right", style="green")
    return capsys.readouterr().out


def test_colour_follows_what_the_environment_asks_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert printed(capsys) == "right\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    assert printed(capsys) == "\x1b[32mright\x1b[0m\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert printed(capsys) == "right\n"


def test_commands_to_a_terminal_in_a_text_are_shown_and_not_obeyed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    output().print("clear \x1b[2J\x9b1m it")
    assert capsys.readouterr().out == "clear \\x1b[2J\\x9b1m it\n"
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    aside().print("\x1b]0;title\x07", style="green")
    assert capsys.readouterr().err.startswith("\x1b[32m\\x1b]0;title")


def test_results_and_what_is_said_on_the_way_are_apart(capsys: pytest.CaptureFixture[str]) -> None:
    output().print("[result]")
    aside().print("[aside]")
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("[result]\n", "[aside]\n")


def test_width_follows_columns_and_is_80_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert output().width == 80
    monkeypatch.setenv("COLUMNS", "120")
    assert output().width == 120


def test_a_reader_that_has_gone_is_told_and_does_not_end_the_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    pipe = os.fdopen(writing, "w", buffering=1)
    monkeypatch.setattr(sys, "stdout", pipe)
    with pytest.raises(BrokenPipeError):
        output().print("a line")
    with suppress(OSError):  # what could not be written is tried once more
        pipe.close()


def test_signs_that_an_encoding_lacks_come_out_plainly_and_others_as_escapes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii"))
    survive_any_encoding()
    output().print("3.1 µs ±2 ×4 ü")
    sys.stdout.flush()
    assert written.getvalue() == b"3.1 us +/-2 x4 \\xfc\n"
