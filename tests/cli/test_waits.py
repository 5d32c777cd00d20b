from __future__ import annotations

import json

from opwright.cli.waits import Waits


def begin(what: str, *, told: bool = True, culprit: str = "", asked_for: str = "") -> bytes:
    message = {"begin": what, "told": told, "culprit": culprit, "asked_for": asked_for}
    return json.dumps(message).encode() + b"\n"


def end(what: str) -> bytes:
    return json.dumps({"end": what}).encode() + b"\n"


def test_a_wait_is_told_when_it_is_not_quick_and_then_ever_more_rarely() -> None:
    waits = Waits()
    waits.feed(begin("running op.py"), 100.0)
    told = {second: list(waits.words(100.0 + second)) for second in (0, 1, 2, 5, 6, 9, 10, 19, 20)}
    assert {second: words for second, words in told.items() if words} == {
        1: ["running op.py"],
        5: ["still running op.py (5 s)"],
        10: ["still running op.py (10 s)"],
        20: ["still running op.py (20 s)"],
    }


def test_what_is_over_or_not_to_be_told_is_not() -> None:
    waits = Waits()
    waits.feed(begin("a"), 0.0)
    waits.feed(end("a") + begin("b", told=False, culprit="op.py"), 1.0)
    assert list(waits.words(9.0)) == []
    assert waits.culprit == "op.py"


def test_the_inner_wait_is_told_and_the_outer_one_begins_anew_after_it() -> None:
    waits = Waits()
    waits.feed(begin("reading x", asked_for="x") + begin("running op.py", culprit="op.py"), 0.0)
    assert list(waits.words(6.0)) == ["still running op.py (6 s)"]
    assert (waits.culprit, waits.asked_for) == ("op.py", "x")
    waits.feed(end("running op.py"), 7.0)
    assert list(waits.words(8.0)) == []
    assert list(waits.words(12.0)) == ["still reading x (5 s)"]
    assert (waits.culprit, waits.asked_for) == ("", "x")


def test_a_message_may_come_in_pieces() -> None:
    waits = Waits()
    waits.feed(b'{"do', 0.0)
    assert waits.code is None
    waits.feed(b'ne": 3}\n', 0.0)
    assert waits.code == 3
