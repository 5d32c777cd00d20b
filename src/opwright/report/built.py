"""One build, or one find in the store, for a terminal."""

from __future__ import annotations

from rich.text import Text

from opwright.records.artifact import Artifact
from opwright.report.figures import seconds_text


def built_report(artifact: Artifact, *, why: bool = False) -> Text:
    """Hit or miss and how long it took; below it the key, the library and, for a build, its parts.

    With ``why`` also the reason: the field that changed, or that nothing has.
    Print it with ``soft_wrap``, so that a path can be copied.
    """
    lines = []
    if why:
        reason = "every field and every file that was read is as it was then"
        lines.append(("why", artifact.reason or reason))
    lines.append(("key", artifact.build_key))
    lines.append(("library", str(artifact.library)))
    units = artifact.facts.get("unit_seconds", {})
    if units and not artifact.hit:
        parts = (f"{unit} {seconds_text(seconds)}" for unit, seconds in units.items())
        lines.append(("parts", ", ".join(parts)))
    text = _headline(artifact)
    for title, value in lines:
        text.append(f"\n  {title:<9}", style="dim").append(value)
    return text


def nothing_to_build(name: str) -> Text:
    """For an operator that is a Python callable."""
    return Text.assemble((name, "bold"), ": a Python callable, nothing to build")


def _headline(artifact: Artifact) -> Text:
    binding, label = artifact.facts.get("binding"), artifact.facts.get("label")
    what = f", {binding} binding" if binding else ", no binding" if label else ""
    ended = ("hit", "green") if artifact.hit else ("miss", "yellow")
    did = "found in the store" if artifact.hit else "built"
    return Text.assemble(
        (artifact.name, "bold"),
        f" for {artifact.target}{what}: ",
        ended,
        f", {did} in {seconds_text(artifact.seconds)}",
        f", label {label}: it ran nowhere" if label else "",
    )
