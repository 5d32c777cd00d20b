from __future__ import annotations

import pytest

from opwright.errors import UsageError
from opwright.graph.modes import MODES, parse_mode


@pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.name)
def test_every_mode_is_read_with_each_of_its_options(mode: object) -> None:
    for option in mode.options or ("",):
        text = f"{mode.name}:{option}" if option else mode.name
        assert parse_mode(text) == (mode, option)


def test_a_mode_without_an_option_gets_its_first_one() -> None:
    mode, option = parse_mode("compile")
    assert (mode.name, option) == ("compile", "inductor")
    assert parse_mode("cudagraph")[1] == ""


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("cudagraphs", "no graph mode is called 'cudagraphs'", "Did you mean 'cudagraph'?"),
        ("compile:inducter", "compile has no option 'inducter'", "Did you mean 'inductor'?"),
        ("cudagraph:fast", "cudagraph has no option 'fast'", "It takes none."),
        ("compile:", "compile has no option ''", "inductor, aot_eager"),
    ],
)
def test_what_is_no_mode_is_refused_with_what_is_near(text: str, what: str, hint: str) -> None:
    with pytest.raises(UsageError) as refusal:
        parse_mode(text)
    assert refusal.value.what == what
    assert hint in refusal.value.hint
