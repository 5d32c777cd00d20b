"""How a verdict looks: a sign, a colour, and always the word itself somewhere near."""

from __future__ import annotations

from rich.text import Text

from opwright.records.verdict import Verdict

STYLES: dict[Verdict, str] = {
    "pass": "green",
    "fail": "bold red",
    "not checked": "yellow",
    "error": "bold magenta",
}
_SIGNS: dict[Verdict, str] = {"pass": "✓", "fail": "✗", "not checked": "○", "error": "!"}
_ASCII: dict[Verdict, str] = {"pass": "+", "fail": "x", "not checked": "o", "error": "!"}


def sign(verdict: Verdict, *, ascii_only: bool = False) -> Text:
    """One coloured character."""
    return Text((_ASCII if ascii_only else _SIGNS)[verdict], style=STYLES[verdict])


def count(number: int, verdict: Verdict) -> Text:
    """A count in the colour of its verdict; nothing at all for none, so that the rest stands out."""
    return Text(str(number), style=STYLES[verdict]) if number else Text("-", style="dim")
