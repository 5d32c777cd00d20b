from __future__ import annotations

from opwright.graph.plain import in_words


class Mute(Exception):
    """One that cannot say what it is."""

    def __str__(self) -> str:
        raise RuntimeError


def test_an_exception_is_one_line_whatever_it_says() -> None:
    assert in_words(ValueError("first\nsecond")) == "ValueError: first"
    assert in_words(ValueError()) == "ValueError"
    assert in_words(Mute()) == "Mute: (its text cannot be read)"
