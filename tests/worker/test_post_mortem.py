"""The sentence about an end quotes what the process itself said about it."""

from __future__ import annotations

import pytest

from opwright.worker.post_mortem import _last_words, dying_of, signal_name

ASAN = """==7==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60
READ of size 4 at 0x602000000014 thread T0
    #0 0x7f in gelu gelu.cpp:12
SUMMARY: AddressSanitizer: heap-buffer-overflow gelu.cpp:12 in gelu
Shadow bytes around the buggy address:
  0x0c047fff7fb0: fa fa
==7==ABORTING
"""


@pytest.mark.parametrize(
    "stderr,words",
    [
        ("", ""),
        ("a\n\n  b \n", "a b"),
        ("1\n2\n3\n4\n", "2 3 4"),
        (ASAN, "SUMMARY: AddressSanitizer: heap-buffer-overflow gelu.cpp:12 in gelu"),
    ],
)
def test_the_last_words_are_those_that_tell_most(stderr: str, words: str) -> None:
    assert _last_words(stderr) == words


@pytest.mark.parametrize(
    "fault,name",
    [
        ("Fatal Python error: Segmentation fault\n\nThread", "SIGSEGV"),
        ("Fatal Python error: Floating-point exception\n", "SIGFPE"),
        ("Current thread 0x00 (most recent call first):\n", ""),
        ("", ""),
    ],
)
def test_the_fault_handler_tells_of_a_fatal_signal(fault: str, name: str) -> None:
    assert dying_of(fault) == name


def test_signals_without_a_name_have_their_number() -> None:
    assert (signal_name(11), signal_name(40)) == ("SIGSEGV", "signal 40")
